// SPDX-License-Identifier: Apache-2.0

public import PlayheadAssets
public import PlayheadTime

/// The reason why a video composition, or a picture of it, cannot be drawn.
///
/// - Corresponds to: `AVError` with the codes `invalidVideoComposition` and
///   `videoCompositorFailed`, and the arguments of `AVVideoCompositionValidationHandling`.
public struct VideoCompositionError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The kind of a failure, for programs.
    public enum Code: Sendable, Hashable {
        /// The render size is not from 1 to 16,384 pixels, or its scale is not a positive number.
        case invalidRenderSize
        /// The frame duration is not a positive number.
        case invalidFrameDuration
        /// The time range of an instruction is not a range of numbers.
        case invalidTimeRange
        /// The time range of an instruction is empty.
        case emptyTimeRange
        /// No instruction has a time that is shown.
        case gap
        /// An instruction begins before the end of the one before it.
        case overlap
        /// The asset has no such video track.
        case unknownTrack
        /// An instruction has two layers of one track.
        case repeatedTrack
        /// A transition is between tracks of which one has no layer in the instruction.
        case transitionWithoutLayer
        /// An opacity is not from 0 to 1.
        case invalidOpacity
        /// A transform contains an infinite number or NaN.
        case invalidTransform
        /// A transform maps frames to a line or a point throughout.
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
        /// An own compositor reported an error, or broke a rule.
        case compositorFailed
        /// Drawing was cancelled.
        case cancelled
    }

    /// The kind of the failure: the property to base decisions on.
    public var code: Code
    /// The problem, as a clause without a full stop.
    public var cause: String
    /// The remedy, as a clause without a full stop; empty without one.
    public var remedy: String
    /// The track, by `AssetTrack.id`; nil if no track is concerned.
    public var trackID: Int?
    /// The index of the instruction; nil if no instruction is concerned.
    public var instructionIndex: Int?
    /// The time of the problem, or `invalid` without one.
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

    /// The error of an asset that cannot be read.
    package init(_ error: MediaError) {
        self.init(
            error.code == .cancelled ? .cancelled : .cannotRead(error),
            cause: error.subject.isEmpty ? error.cause : "\(error.subject): \(error.cause)",
            remedy: error.remedy)
    }

    /// The error as one of reading.
    package func mediaError(subject: String) -> MediaError {
        if case .cannotRead(let error) = code { return error }
        var whole = self
        whole.remedy = ""
        let code: MediaError.Code = code == .cancelled ? .cancelled : .decodingFailed
        return MediaError(code, subject: subject, cause: whole.description, remedy: remedy)
    }

    /// One line: instruction, track, time, cause, remedy.
    public var description: String {
        var places = ["video composition"]
        if let instructionIndex { places.append("instruction \(instructionIndex)") }
        if let trackID { places.append("track \(trackID)") }
        if time.isNumeric { places.append("at \(time)") }
        let line = "\(places.joined(separator: ", ")): \(cause)"
        return remedy.isEmpty ? line : "\(line); \(remedy)"
    }
}
