// SPDX-License-Identifier: Apache-2.0

public import PlayheadAssets
public import PlayheadBuffers
import PlayheadThreads
public import PlayheadTime
import Synchronization

/// A track of a file that an `AssetWriter` writes.
///
/// An input accepts a few samples and then waits for its encoder. While it waits, `append`
/// suspends, and `tryAppend` returns `false`.
///
/// - Concurrency: any thread. Samples must be appended to an input in the order of their times.
/// - Corresponds to: `AVAssetWriterInput`.
public final class AssetWriterInput: Sendable {
    /// The kind of samples that the input accepts.
    enum Kind: Sendable {
        case video(VideoOutputSettings)
        case audio(AudioOutputSettings)
        case subtitles
        case passthrough(EncodedTrackFormat)
    }

    private struct Properties {
        var languageTag: String?
        var title: String?
        var isEnabled = true
        var orientation = PictureOrientation.up
        var pixelAspectRatio = PixelBufferAttachments.PixelAspectRatio.square
        var timecode: String?
        var remark: String?
        var attachment: (core: WriterCore, lane: Int, subject: String)?
    }

    let kind: Kind
    private let properties: Mutex<Properties>

    private init(_ kind: Kind) {
        self.kind = kind
        var properties = Properties()
        if case .passthrough(let format) = kind {
            properties.languageTag = format.languageTag
            properties.title = format.title
            properties.isEnabled = format.isEnabled
            properties.orientation = format.attachments.orientation
            properties.pixelAspectRatio = format.attachments.pixelAspectRatio
        }
        self.properties = Mutex(properties)
    }

    /// Creates an input that encodes frames.
    public convenience init(video settings: VideoOutputSettings) { self.init(.video(settings)) }

    /// Creates an input that encodes audio.
    public convenience init(audio settings: AudioOutputSettings) { self.init(.audio(settings)) }

    /// Returns an input for text subtitles.
    public static func subtitles() -> AssetWriterInput { AssetWriterInput(.subtitles) }

    /// Creates an input that stores compressed samples unchanged.
    package convenience init(passthrough format: EncodedTrackFormat) {
        self.init(.passthrough(format))
    }

    // MARK: - Properties

    /// The type of the samples.
    public var mediaType: MediaType {
        switch kind {
        case .video: .video
        case .audio: .audio
        case .subtitles: .subtitle
        case .passthrough(let format): format.mediaType
        }
    }

    var isPassthrough: Bool {
        if case .passthrough = kind { return true }
        return false
    }

    var timescale: Int32 {
        switch kind {
        case .video(let settings): settings.timescale
        case .audio(let settings): Int32(clamping: settings.format.sampleRate)
        case .subtitles: 1000
        case .passthrough(let format): format.timescale
        }
    }

    /// The language, as a BCP 47 or ISO 639 tag; nil if unknown. Set it before writing starts.
    public var languageTag: String? {
        get { properties.withLock { $0.languageTag } }
        set { properties.withLock { $0.languageTag = newValue } }
    }

    /// The title of the track; nil if it has no title. Set it before writing starts.
    public var title: String? {
        get { properties.withLock { $0.title } }
        set { properties.withLock { $0.title = newValue } }
    }

    /// A Boolean value that indicates whether the track plays unless another track is selected;
    /// `true` by default. Set it before writing starts.
    public var isEnabled: Bool {
        get { properties.withLock { $0.isEnabled } }
        set { properties.withLock { $0.isEnabled = newValue } }
    }

    /// The rotation and mirroring that players apply to the frames. Set it before writing starts.
    ///
    /// - Corresponds to: `transform`.
    public var orientation: PictureOrientation {
        get { properties.withLock { $0.orientation } }
        set { properties.withLock { $0.orientation = newValue } }
    }

    /// The ratio of a pixel's width to its height. Set it before writing starts.
    public var pixelAspectRatio: PixelBufferAttachments.PixelAspectRatio {
        get { properties.withLock { $0.pixelAspectRatio } }
        set { properties.withLock { $0.pixelAspectRatio = newValue } }
    }

    /// The timecode of the first frame, such as `01:00:00:00`; nil for no timecode. A `;` before
    /// the frames means drop-frame. MP4, QuickTime and Matroska store it. Set it before writing
    /// starts.
    public var timecode: String? {
        get { properties.withLock { $0.timecode } }
        set { properties.withLock { $0.timecode = newValue } }
    }

    /// Remarks about the encoding, for the user, such as that software replaced a hardware encoder.
    public var remarks: [String] { properties.withLock { $0.remark.map { [$0] } ?? [] } }

    // MARK: - Appending

    /// A Boolean value that indicates whether a sample can be appended without waiting.
    public var isReadyForMoreMediaData: Bool {
        guard let (core, lane, _) = attachment else { return false }
        return core.monitor.withLock {
            $0.writing.phase == .writing && !$0.writing.inputs[lane].isFinished
                && !$0.lanes[lane].isFull
        }
    }

    /// Appends a frame, and suspends while the input is not ready.
    ///
    /// - Parameters:
    ///   - buffer: The frame, in the size of the settings. If its format differs from the format in
    ///     the settings, the frame is converted.
    ///   - time: The time at which the frame is shown, which must be later than the previous
    ///     frame's.
    ///   - duration: The duration for which the frame is shown if it is the last; `invalid` for the
    ///     duration of the previous frame.
    /// - Throws: `wrongFormat`, `outOfOrder`, `noSession` or `wrongState`; the error of the file if
    ///   the file has failed.
    public func append(
        _ buffer: PixelBuffer, at time: MediaTime, duration: MediaTime = .invalid
    ) async throws(MediaWritingError) {
        try await append(try sample(buffer, time, duration))
    }

    /// Appends a frame with its own time, and suspends while the input is not ready.
    public func append(_ frame: VideoFrame) async throws(MediaWritingError) {
        try await append(frame.pixelBuffer, at: frame.presentationTime, duration: frame.duration)
    }

    /// Appends audio, and suspends while the input is not ready.
    ///
    /// A buffer without a time follows the previous buffer. If there is a gap before a buffer, it
    /// is filled with silence.
    ///
    /// - Throws: `invalidSample` if a value is not a finite number.
    public func append(_ buffer: AudioBuffer) async throws(MediaWritingError) {
        try await append(try sample(buffer))
    }

    /// Appends a subtitle, and suspends while the input is not ready.
    public func append(_ text: String, in range: MediaTimeRange) async throws(MediaWritingError) {
        try await append(try sample(text, range))
    }

    /// Appends a compressed sample, and suspends while the input is not ready.
    package func append(_ packet: MediaPacket) async throws(MediaWritingError) {
        try await append(try sample(packet))
    }

    /// Appends a frame if the input is ready. Returns a Boolean value that indicates whether the
    /// frame was appended.
    public func tryAppend(
        _ buffer: PixelBuffer, at time: MediaTime, duration: MediaTime = .invalid
    ) throws(MediaWritingError) -> Bool {
        try offer(try sample(buffer, time, duration))
    }

    /// Appends audio if the input is ready. Returns a Boolean value that indicates whether the
    /// audio was appended.
    public func tryAppend(_ buffer: AudioBuffer) throws(MediaWritingError) -> Bool {
        try offer(try sample(buffer))
    }

    /// Appends a frame, and blocks the calling thread while the input is not ready.
    package func appendAndWait(
        _ buffer: PixelBuffer, at time: MediaTime, duration: MediaTime = .invalid
    ) throws(MediaWritingError) {
        try appendAndWait(try sample(buffer, time, duration))
    }

    /// Appends audio, and blocks the calling thread while the input is not ready.
    package func appendAndWait(_ buffer: AudioBuffer) throws(MediaWritingError) {
        try appendAndWait(try sample(buffer))
    }

    /// Appends a subtitle, and blocks the calling thread while the input is not ready.
    package func appendAndWait(
        _ text: String, in range: MediaTimeRange
    ) throws(MediaWritingError) {
        try appendAndWait(try sample(text, range))
    }

    /// Appends a compressed sample, and blocks the calling thread while the input is not ready.
    package func appendAndWait(_ packet: MediaPacket) throws(MediaWritingError) {
        try appendAndWait(try sample(packet))
    }

    /// Calls `body` on a separate thread whenever the input is ready. The calls end when the input
    /// is marked as finished or the file has ended.
    ///
    /// `body` must append samples with `tryAppend` until it returns `false`, and mark the input as
    /// finished after the last sample.
    public func requestMediaDataWhenReady(_ body: @escaping @Sendable () -> Void) {
        guard let (core, lane, _) = attachment else { return }
        _ = WorkerThread(name: "ph-feed") {
            while true {
                let isReady = core.monitor.wait { state -> Bool? in
                    guard state.writing.phase == .writing, !state.writing.inputs[lane].isFinished
                    else { return false }
                    return state.lanes[lane].isFull ? nil : true
                }
                guard isReady else { return }
                body()
            }
        }
    }

    /// Declares that no further samples follow. An input without samples delays the others until it
    /// is marked as finished.
    public func markAsFinished() throws(MediaWritingError) {
        let (core, lane, _) = try requireAttachment()
        try core.attempt { state throws(MediaWritingError) in
            try state.writing.markFinished(lane)
        }
    }

    // MARK: - Samples

    private var attachment: (core: WriterCore, lane: Int, subject: String)? {
        properties.withLock { $0.attachment }
    }

    private func requireAttachment() throws(MediaWritingError) -> (
        core: WriterCore, lane: Int, subject: String
    ) {
        if let attachment { return attachment }
        throw MediaWritingError(
            .wrongState, subject: "", cause: "the input belongs to no writer",
            remedy: "add it to a writer first")
    }

    private func sample(
        _ buffer: PixelBuffer, _ time: MediaTime, _ duration: MediaTime
    ) throws(MediaWritingError) -> InputSample {
        guard case .video(let settings) = kind else { throw wrongKind("frames") }
        guard buffer.width == settings.width, buffer.height == settings.height else {
            throw MediaWritingError(
                .wrongFormat, subject: attachment?.subject ?? "",
                cause: "expected a frame of \(settings.width) x \(settings.height) pixels, found "
                    + "\(buffer.width) x \(buffer.height)",
                remedy: "scale the frame, or use another writer")
        }
        if let cause = FrameConverter.refusal(of: buffer, to: settings) {
            throw MediaWritingError(
                .wrongFormat, subject: attachment?.subject ?? "", cause: cause,
                remedy: "convert the frame, or change the settings")
        }
        return .frame(buffer, time: time, duration: duration)
    }

    private func sample(_ buffer: AudioBuffer) throws(MediaWritingError) -> InputSample {
        guard case .audio(let settings) = kind else { throw wrongKind("audio") }
        guard buffer.format == settings.format else {
            throw MediaWritingError(
                .wrongFormat, subject: attachment?.subject ?? "",
                cause: "expected audio of \(settings.format.sampleRate) Hz in "
                    + "\(settings.format.channelCount) channels, found "
                    + "\(buffer.format.sampleRate) Hz in \(buffer.format.channelCount)",
                remedy: "convert the audio, or use another writer")
        }
        guard buffer.isFinite else {
            throw MediaWritingError(
                .invalidSample, subject: attachment?.subject ?? "",
                cause: "audio at \(buffer.presentationTime) contains values that are not finite "
                    + "numbers", remedy: "replace them with silence")
        }
        return .audio(buffer)
    }

    private func sample(
        _ text: String, _ range: MediaTimeRange
    ) throws(MediaWritingError) -> InputSample {
        guard case .subtitles = kind else { throw wrongKind("subtitles") }
        guard range.start.isNumeric, range.duration.isNumeric, range.duration > .zero else {
            throw MediaWritingError(
                .invalidSample, subject: attachment?.subject ?? "",
                cause: "a subtitle starts at \(range.start) and lasts \(range.duration)",
                remedy: "use a numeric start and a positive duration")
        }
        return .cue(text, range)
    }

    private func sample(_ packet: MediaPacket) throws(MediaWritingError) -> InputSample {
        guard case .passthrough = kind else { throw wrongKind("compressed samples") }
        return .packet(packet)
    }

    private func wrongKind(_ samples: String) -> MediaWritingError {
        MediaWritingError(
            .wrongFormat, subject: attachment?.subject ?? "",
            cause: "an input for \(mediaType.rawValue) takes no \(samples)",
            remedy: "append them to an input of their type")
    }

    // MARK: - Queues

    private func append(_ sample: InputSample) async throws(MediaWritingError) {
        let (core, lane, subject) = try requireAttachment()
        while try !offer(sample) {
            let isOver = await waitForCompletion(orCancellation: true) { completion in
                let isReady = core.monitor.withLock { state in
                    guard state.writing.phase == .writing, state.lanes[lane].isFull else {
                        return true
                    }
                    state.lanes[lane].waiters.append { completion(false) }
                    return false
                }
                if isReady { completion(false) }
            }
            if isOver {
                throw MediaWritingError(
                    .cancelled, subject: subject, cause: "appending was cancelled")
            }
        }
    }

    private func appendAndWait(_ sample: InputSample) throws(MediaWritingError) {
        let (core, lane, _) = try requireAttachment()
        while try !offer(sample) {
            core.monitor.wait(
                until: { $0.writing.phase != .writing || !$0.lanes[lane].isFull ? () : nil },
                isNews: { _ in false })
        }
    }

    /// Appends a sample unless the queue is full. The order of samples is checked in the same step,
    /// so that threads that append at the same time cannot break the order.
    private func offer(_ sample: InputSample) throws(MediaWritingError) -> Bool {
        let (core, lane, _) = try requireAttachment()
        return try core.attempt { state throws(MediaWritingError) in
            if state.writing.phase == .writing, state.lanes[lane].isFull { return false }
            switch sample {
            case .frame(_, let time, _): try state.writing.admit(lane, at: time)
            case .audio(let buffer):
                try state.writing.admitAudio(
                    lane, at: buffer.presentationTime, duration: buffer.duration)
            case .packet(let packet): try state.writing.admit(lane, at: packet.orderTime)
            case .cue(_, let range): try state.writing.admit(lane, at: range.start)
            }
            let start = state.writing.sessionStart ?? .zero
            switch sample {
            case .packet(let packet):
                let moved = packet.moved(by: start)
                state.lanes[lane].packets.append(
                    (.packet(moved), moved.orderTime), byteCount: sample.byteCount)
            case .cue(_, let range):
                state.lanes[lane].packets.append(
                    (sample, range.start - start), byteCount: sample.byteCount)
            case .frame, .audio:
                state.lanes[lane].samples.append(sample, byteCount: sample.byteCount)
            }
            return true
        }
    }

    // MARK: - Interface of the writer

    /// Adds the input to a writer. An input that is refused leaves the writer as it was.
    func attach(
        to core: WriterCore, as state: WritingState.Input, _ subject: String
    ) throws(MediaWritingError) {
        try properties.withLock { properties throws(MediaWritingError) in
            guard properties.attachment == nil else {
                throw MediaWritingError(
                    .wrongState, subject: subject, cause: "the input belongs to a writer already",
                    remedy: "create an input for each writer")
            }
            properties.attachment = (core, try core.addLane(state), subject)
        }
    }

    /// Opens the encoder. Returns the format of the packets, and the work to run on a thread.
    func prepare(
        _ engine: any WritingEngine, _ type: MediaFileType, _ core: WriterCore, _ lane: Int
    ) throws(MediaWritingError) -> (
        EncodedTrackFormat, (@Sendable () throws(MediaWritingError) -> Void)?
    ) {
        let subject = attachment?.subject ?? ""
        var format: EncodedTrackFormat
        var run: (@Sendable () throws(MediaWritingError) -> Void)?
        switch kind {
        case .video(let settings):
            let encoder = try engine.makeVideoEncoder(settings, for: type, subject: subject)
            format = encoder.format
            properties.withLock { $0.remark = encoder.remark }
            run = { () throws(MediaWritingError) in
                try VideoEncodingRun(encoder, settings, core: core, lane: lane).run()
                // The second of two passes may begin when the file is finished.
                encoder.close()
                core.end(lane)
            }
        case .audio(let settings):
            let encoder = try engine.makeAudioEncoder(settings, for: type, subject: subject)
            format = encoder.format
            run = { () throws(MediaWritingError) in
                try AudioEncodingRun(encoder, settings, core: core, lane: lane).run()
                core.end(lane)
            }
        case .subtitles:
            format = EncodedTrackFormat(
                mediaType: .subtitle, parameters: nil, timescale: timescale)
        case .passthrough(let given): format = given
        }
        properties.withLock { properties in
            format.languageTag = properties.languageTag
            format.title = properties.title
            format.isEnabled = properties.isEnabled
            format.attachments.orientation = properties.orientation
            format.attachments.pixelAspectRatio = properties.pixelAspectRatio
            format.timecode = properties.timecode
        }
        return (format, run)
    }
}

extension MediaPacket {
    /// Returns the packet with its times relative to `start`.
    package func moved(by start: MediaTime) -> MediaPacket {
        var packet = self
        if packet.presentationTime.isNumeric { packet.presentationTime -= start }
        if packet.decodeTime.isNumeric { packet.decodeTime -= start }
        return packet
    }
}

extension AudioBuffer {
    /// A Boolean value that indicates whether all samples are finite numbers.
    fileprivate var isFinite: Bool {
        withSamples { samples in
            // The product of zero and a number that is not finite is not zero, and a sum preserves
            // this.
            var sum: Float = 0
            for sample in samples { sum += sample * 0 }
            return sum == 0
        }
    }
}
