// SPDX-License-Identifier: Apache-2.0

public import PlayheadAssets
public import PlayheadTime

/// The reason why a video composition, or one of its frames, cannot be drawn.
///
/// - Corresponds to: `AVError` with the codes `invalidVideoComposition` and
///   `videoCompositorFailed`, and the arguments of `AVVideoCompositionValidationHandling`.
public struct VideoCompositionError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The kind of failure, for use by programs.
    public enum Code: Sendable, Hashable {
        /// The width or height is not between 1 and 16,384 pixels, or the render scale is not a
        /// positive number.
        case invalidRenderSize
        /// The frame duration is not a positive number.
        case invalidFrameDuration
        /// The time range of an instruction has a start or duration that is not a number.
        case invalidTimeRange
        /// The time range of an instruction is empty.
        case emptyTimeRange
        /// No instruction covers a time that is to be shown.
        case gap
        /// An instruction begins before the end of the one before it.
        case overlap
        /// An instruction refers to a video track that the asset does not have.
        case unknownTrack
        /// An instruction has two layers of one track.
        case repeatedTrack
        /// A track of a transition has no layer in the instruction.
        case transitionWithoutLayer
        /// An opacity is not between 0 and 1.
        case invalidOpacity
        /// A transform contains an infinite number or NaN.
        case invalidTransform
        /// A transform maps frames to a line or a point at the start and at the end of its ramp.
        case singularTransform
        /// A crop rectangle contains an infinite number or NaN, or its size is negative.
        case invalidCropRectangle
        /// A background colour contains an infinite number or NaN.
        case invalidColor
        /// The effect of a transition cannot be used.
        case invalidEffect
        /// The asset cannot be read.
        case cannotRead(MediaError)
        /// OpenGL is not available, or reported an error.
        case cannotDraw
        /// A custom compositor reported an error, or broke a rule of `VideoCompositing`.
        case compositorFailed
        /// Drawing was cancelled.
        case cancelled
    }

    /// The kind of failure. Base decisions on this property.
    public var code: Code
    /// The problem, as a clause without a full stop.
    public var cause: String
    /// The remedy, as a clause without a full stop; may be empty.
    public var remedy: String
    /// The `AssetTrack.id` of the track that has the problem; nil if the problem does not concern a
    /// track.
    public var trackID: Int?
    /// The index of the instruction that has the problem; nil if the problem does not concern an
    /// instruction.
    public var instructionIndex: Int?
    /// The time of the problem; `invalid` if the problem does not concern a time.
    public var time: MediaTime

    package init(
        _ code: Code, cause: String, remedy: String = "", trackID: Int? = nil,
        instructionIndex: Int? = nil, time: MediaTime = .invalid
    ) {
        self.code = code
        self.cause = cause
        self.remedy = remedy
        self.trackID = trackID
        self.instructionIndex = instructionIndex
        self.time = time
    }

    /// Creates an error for an asset that cannot be read.
    package init(_ error: MediaError) {
        self.init(
            error.code == .cancelled ? .cancelled : .cannotRead(error),
            cause: error.subject.isEmpty ? error.cause : "\(error.subject): \(error.cause)",
            remedy: error.remedy)
    }

    /// Converts the error to a `MediaError`.
    package func mediaError(subject: String) -> MediaError {
        if case .cannotRead(let error) = code { return error }
        var whole = self
        whole.remedy = ""
        let code: MediaError.Code = code == .cancelled ? .cancelled : .decodingFailed
        return MediaError(code, subject: subject, cause: whole.description, remedy: remedy)
    }

    /// One line with the instruction, the track, the time, the cause and the remedy.
    public var description: String {
        var places = ["video composition"]
        if let instructionIndex { places.append("instruction \(instructionIndex)") }
        if let trackID { places.append("track \(trackID)") }
        if time.isNumeric { places.append("at \(time)") }
        let line = "\(places.joined(separator: ", ")): \(cause)"
        return remedy.isEmpty ? line : "\(line); \(remedy)"
    }
}
