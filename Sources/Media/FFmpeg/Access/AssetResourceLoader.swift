// SPDX-License-Identifier: Apache-2.0

import CPlayheadFFmpeg
import PlayheadAssets
import PlayheadTime

/// A loader that opens the files and addresses of an asset: the asset itself and everything that it
/// refers to. Nothing is opened in another way.
///
/// FFmpeg calls the loader through `io_open`, and never opens anything itself. `SandboxedFile`
/// opens files, `HTTPDataSource` opens HTTP addresses, and this class handles decryption and
/// playlists; FFmpeg only reads bytes. FFmpeg's own protocols are disabled, so a demuxer that
/// bypasses `io_open` cannot open anything.
///
/// Depth: FFmpeg opens playlists in the order in which it finds them, and does not report which
/// playlist referred to which. Therefore every multivariant playlist counts as nested in the
/// previous one, which is the strictest interpretation. RFC 8216 does not allow nesting.
///
/// - Concurrency: one thread at a time, which is the thread that reads the asset.
/// - Ownership: the loader must outlive the format context, which has an unretained pointer to it.
final class AssetResourceLoader {
    /// The name of the asset for error messages.
    let subject: String
    /// The error for a limit that was exceeded. It ends all reading.
    private(set) var violation: MediaError?
    /// The reason why the last child, which is a file or an address that the asset refers to, was
    /// not opened. If possible, FFmpeg continues without that child.
    private(set) var childFailure: MediaError?

    let options: AssetOptions
    let interrupt: Interrupt
    let transfer: TransferMonitor
    let network: HTTPResourceLoader
    private let source: AssetSource
    private var base = Base.nothing
    /// The cause of the last child's failure, without the child's name.
    private var childCause: String?
    private var children: [UnsafeMutablePointer<AVIOContext>: Child] = [:]
    /// The number of multivariant playlists so far, and the greatest depth of a playlist so far.
    var listCount = 0
    var deepestList = 0
    /// The variants of the first multivariant playlist, and the chosen one.
    var variants: [VariantChoice.Variant] = []
    var variant: VariantChoice.Variant?
    /// The renditions of subtitles in the first multivariant playlist.
    var textRenditions: [TextRendition] = []
    /// The time, relative to the first segment, at which reading of a playlist begins if its
    /// segments need headers, and a Boolean value that indicates whether there is such a playlist.
    /// Other playlists are read from the beginning. In a presentation, the time is one on its
    /// timeline, and concerns all segments.
    let start: MediaTime
    var hasPartsWithHeaders = false
    /// The beginning of reading in playlists that state the times of segments without timestamps;
    /// nil if reading begins elsewhere, as in a live stream.
    var listed: ListedBeginning?
    /// The address of the first media playlist or, without one, of the asset; nil if the asset does
    /// not come from a network.
    var mediaAddress: String?
    /// The live stream that the asset is, if it is one, and the place in it at which reading
    /// begins.
    let live: LiveStream
    var reading: LiveReading
    /// The host time, in nanoseconds, until which the server of a low-latency stream is not asked
    /// to hold back its answer, because it has not done so as it should.
    var blockingPause: Int64 = 0
    /// The requests for what low-latency playlists announce.
    var early: [EarlyRequest] = []
    /// The presentation that the asset is, if it is an MPD.
    var presentation: PresentationReading?
    /// The shifts of a presentation's files, by their addresses, and those of its tracks.
    var shifts: [String: FragmentShift] = [:]
    var trackShifts: [Int: FragmentShift] = [:]
    private var opens = (call: 0, count: 0)

    /// A file or an address that FFmpeg reads.
    private struct Child {
        let input: StreamInput
        /// The time for which opening has waited, in nanoseconds; nil unless it is a segment.
        var waited: Int64?
        /// The duration that the playlist states, in nanoseconds.
        var duration: Int64?
    }
    /// The size of the asset according to its header, in bytes.
    private(set) var declaredByteCount: Int64?
    /// The asset's file; nil if the asset is not a file.
    private(set) var file: FileDescriptorDataSource?
    private let followed: FollowedFile?
    /// The stream of images that the asset is; nil if it is something else.
    private(set) var camera: CameraStream?
    /// The titles that internet radio sends; nil if the asset is something else.
    private(set) var titles: RadioTitles?
    /// The tags at the beginnings of segments of audio that were opened, and the messages at those
    /// of segments of MP4.
    var tags: [ID3Tag] = []
    var segmentEvents: [SegmentEvents] = []
    /// The source that the asset is, if its media arrives as it is made.
    private(set) var arriving: (any ArrivingSource)?
    /// The session that the asset is, if FFmpeg reads its packets of RTP.
    private(set) var session: RTSPSession?

    /// The base to which relative references are resolved. It limits what the asset may refer to.
    private enum Base {
        /// The asset is data in memory or behind a file descriptor, which cannot refer to anything.
        case nothing
        case folder(String)
        case network
    }

    static let peekSize = 4096

    init(
        _ source: AssetSource, options: AssetOptions, interrupt: Interrupt,
        transfer: TransferMonitor, live: LiveStream, at place: LiveReading.Place,
        from start: MediaTime, following followed: FollowedFile?
    ) {
        self.transfer = transfer
        self.live = live
        reading = LiveReading(place)
        self.start = start
        self.followed = followed
        self.source = source
        self.options = options
        self.interrupt = interrupt
        subject = source.description
        network = HTTPResourceLoader(
            options: options, interrupt: interrupt, transfer: transfer)
    }

    var rules: AssetAccessRules { options.rules }

    /// A Boolean value that indicates whether the asset comes from a network.
    var isRemote: Bool { if case .network = base { true } else { false } }

    // MARK: - The asset itself

    /// Opens the asset. Returns the asset's data, and the URL that FFmpeg uses as the asset's name
    /// to resolve relative addresses.
    func openAsset() throws(MediaError) -> (input: StreamInput, url: String) {
        do throws(MediaError) {
            let (source, url, address) = try transfer.wait(opens: 1) { () throws(MediaError) in
                try locate()
            }
            let head = try PeekedDataSource(
                source, count: Self.peekSize, isCancelled: { interrupt.isTriggered })
            declaredByteCount = DeclaredFileSize.byteCount(head: head.head)
            titles = (source as? HTTPDataSource)?.titles
            var data = try dataOrPlaylist(head, at: address, of: url, depth: 0)
            if let http = source as? HTTPDataSource, !http.isSeekable,
                CameraStream.isCamera(mediaType: http.mediaType, head: head.head)
            {
                let camera = CameraStream(head, limit: options.limits.packetBytes)
                (self.camera, data) = (camera, camera)
            }
            options.accessObserver?(AssetAccess(subject: subject, depth: 0))
            return (try StreamInput(data, interrupt: interrupt, transfer: transfer), url)
        } catch {
            var error = violation ?? interrupt.explaining(error)
            error.subject = subject
            options.accessObserver?(AssetAccess(subject: subject, depth: 0, error: error))
            throw error
        }
    }

    private func locate() throws(MediaError) -> (any MediaDataSource, String, HTTPAddress?) {
        switch source {
        case .data(let source, let name):
            // This is a name and not an address. It only helps to guess the format.
            return (source, name, nil)
        case .location(.file(let path)):
            try admit(.file, path)
            let (source, realPath) = try SandboxedFile.open(path)
            base = .folder(folder(of: realPath))
            file = source
            // With the explicit protocol, FFmpeg does not mistake a part of the name for a
            // protocol.
            return (
                followed?.source(of: source, from: start) ?? source, "file:" + realPath, nil
            )
        case .location(.remote(let url)) where AssetLocation.isReceived(url):
            // None of these is encrypted, except for SRT with a passphrase.
            try admit(.http, subject)
            transfer.noteNetwork()
            return (try receive(url), subject, nil)
        case .location(.remote(let url)):
            guard let address = HTTPAddress(url) else {
                throw MediaError(
                    .cannotOpen, subject: subject, cause: "it is not a valid address",
                    remedy: "check the address")
            }
            transfer.noteNetwork()
            let source = try network.openAsset(address)
            base = .network
            mediaAddress = source.address.description
            return (source, source.address.description, source.address)
        }
    }

    /// Begins to receive the stream that the caller has named. Nothing else can refer to one.
    private func receive(_ url: String) throws(MediaError) -> any MediaDataSource {
        if SRTAddress.hasScheme(url) {
            let stream = try SRTSource(
                SRTAddress(url, subject: subject), subject: subject, interrupt: interrupt,
                transfer: transfer)
            arriving = stream
            return stream
        }
        if RTSPAddress.hasScheme(url) { return try receiveSession(url) }
        guard let address = DatagramAddress(url) else {
            throw MediaError(
                .cannotOpen, subject: subject, cause: "it is not a valid address",
                remedy: "state an address and a port, such as udp://127.0.0.1:5000")
        }
        let datagrams = try DatagramSource(
            address, subject: subject, interrupt: interrupt, transfer: transfer)
        arriving = datagrams
        return datagrams
    }

    /// Starts an RTSP session, and returns the transport stream that it carries or, for a session
    /// of separate streams, its description.
    private func receiveSession(_ url: String) throws(MediaError) -> any MediaDataSource {
        guard let address = RTSPAddress(url) else {
            throw MediaError(
                .cannotOpen, subject: subject, cause: "it is not a valid address",
                remedy: "state a host, such as rtsp://192.168.1.30/stream")
        }
        let session = try RTSPSession(
            address, from: start, subject: subject, interrupt: interrupt, transfer: transfer)
        arriving = session
        if session.description.isTransportStream { return RTSPTransportStream(session) }
        self.session = session
        return MemoryDataSource(Array(session.description.text.utf8))
    }

    private func folder(of path: String) -> String {
        rules.folder.flatMap(SandboxedFile.realPath) ?? SandboxedFile.folder(of: path)
    }

    // MARK: - Its children

    /// Opens a child that FFmpeg requests.
    func openChild(_ url: String, options entries: Options.Values) -> Result<
        UnsafeMutablePointer<AVIOContext>, MediaError
    > {
        var depth = deepestList + 1
        do throws(MediaError) {
            if let list = try partPlaylist(url) {
                return .success(
                    try keep(StreamInput(list, interrupt: interrupt, transfer: transfer), url))
            }
            let begin = HostClock.nanoseconds
            let (data, range) = try request(url, entries, &depth)
            let waited = HostClock.nanoseconds - begin
            reading.noteOpened(url, at: Self.offset(entries))
            let input = try StreamInput(
                data, interrupt: interrupt, transfer: transfer, from: range.start, to: range.end)
            let pointer = try keep(input, url)
            if isRemote, let duration = reading.duration(of: url, at: Self.offset(entries)) {
                children[pointer]?.waited = waited
                children[pointer]?.duration = duration
            }
            self.options.accessObserver?(AssetAccess(subject: url, depth: depth))
            return .success(pointer)
        } catch {
            let failure = violation ?? blaming(url, for: interrupt.explaining(error))
            childFailure = failure
            childCause = error.cause
            if isRemote, failure.code != .cancelled {
                transfer.noteFailure(failure, uri: Self.name(url))
            }
            self.options.accessObserver?(AssetAccess(subject: url, depth: depth, error: failure))
            return .failure(failure)
        }
    }

    /// Requests a child. A part that a server lists a moment before it has it is requested twice.
    private func request(
        _ url: String, _ entries: Options.Values, _ depth: inout Int
    ) throws(MediaError) -> (any MediaDataSource, ByteRange) {
        var pause = reading.noteOpening(of: url, at: Self.offset(entries))
        while true {
            try countOpen()
            do throws(MediaError) {
                return try transfer.wait(opens: 1) { () throws(MediaError) in
                    try child(url, entries, &depth)
                }
            } catch {
                guard error.httpStatus == 404, let wait = pause else { throw error }
                pause = nil
                interrupt.wait(nanoseconds: wait)
                if interrupt.isTriggered { throw error }
            }
        }
    }

    private func keep(
        _ input: StreamInput, _ url: String
    ) throws(MediaError) -> UnsafeMutablePointer<AVIOContext> {
        guard let pointer = input.pointer else { throw FFmpegError.outOfMemory.whileReading(url) }
        children[pointer] = Child(input: input)
        return pointer
    }

    private static func offset(_ entries: Options.Values) -> Int64 {
        max(entries["offset"].flatMap { Int64($0) } ?? 0, 0)
    }

    func forgetChildFailure() { childFailure = nil }

    func close(_ pointer: UnsafeMutablePointer<AVIOContext>?) {
        guard let pointer, let child = children.removeValue(forKey: pointer) else { return }
        guard let waited = child.waited else { return }
        transfer.noteSegment(
            byteCount: child.input.byteCount, waited: waited + child.input.waited,
            duration: child.duration)
    }

    typealias ByteRange = (start: Int64, end: Int64?)

    private func child(
        _ text: String, _ entries: Options.Values, _ depth: inout Int
    ) throws(MediaError) -> (any MediaDataSource, ByteRange) {
        if let playlist = try trackPlaylist(text) {
            depth = max(listCount, 1)
            try checkDepth(depth)
            return (try take(playlist, at: nil, of: text, depth: depth), (0, nil))
        }
        // HLS requests decryption (AES-128) by means of FFmpeg's `crypto` protocol.
        var url = Substring(text)
        let isEncrypted = url.hasPrefix("crypto+") || url.hasPrefix("crypto:")
        if isEncrypted { url = url.dropFirst("crypto+".count) }
        let range: ByteRange = (
            Self.offset(entries),
            entries["end_offset"].flatMap { Int64($0) }.flatMap { $0 > 0 ? $0 : nil }
        )
        let (original, address) = try openChildSource(reloadAddress(of: String(url)), range)
        let shift = shifts[text]
        let source: any MediaDataSource =
            shift.map { ShiftedFragments(original, by: $0, from: range.start) } ?? original
        if isEncrypted {
            guard let key = entries["key"].flatMap(DecryptingDataSource.bytes),
                let vector = entries["iv"].flatMap(DecryptingDataSource.bytes),
                let plain = DecryptingDataSource(
                    source, key: key, vector: vector, from: range.start)
            else {
                throw MediaError(
                    .damaged, subject: text,
                    cause: "it is encrypted, and its key is missing or not valid",
                    remedy: "check the playlist")
            }
            try checkDepth(depth)
            return (plain, (0, nil))
        }
        // For a file, FFmpeg itself seeks to the start of the segment.
        let part: ByteRange = address == nil ? (0, range.end) : range
        guard range.start == 0 else {
            try checkDepth(depth)
            return (source, part)
        }
        let head = try noteMetadata(
            of: PeekedDataSource(
                source, count: Self.peekSize, isCancelled: { interrupt.isTriggered }),
            shiftedBy: shift?.time ?? .zero)
        if head.head.starts(with: Playlist.signature) {
            depth = max(listCount, 1)
        } else {
            listed?.note(head.head)
        }
        try checkDepth(depth)
        return (try dataOrPlaylist(head, at: address, of: text, depth: depth), part)
    }

    func openChildSource(
        _ url: String, _ range: ByteRange
    ) throws(MediaError) -> (any MediaDataSource, HTTPAddress?) {
        if let address = HTTPAddress(url) {
            let source = try openFromNetwork(address, from: range.start, to: range.end)
            return (source, source.address)
        }
        guard let path = Self.path(url) else {
            throw MediaError(
                .notAllowed, subject: url, cause: "its scheme is not supported",
                remedy: "use a file or an HTTP address")
        }
        guard case .folder(let folder) = base else {
            throw MediaError(
                .notAllowed, subject: url, cause: "only media in a file may refer to files")
        }
        try admit(.file, url)
        return (try SandboxedFile.open(path, within: folder).source, nil)
    }

    /// Returns the path that a request by FFmpeg names, either as a plain path or as a `file:` URL;
    /// nil for any other scheme.
    private static func path(_ url: String) -> String? {
        if url.hasPrefix("file:") { return String(url.dropFirst("file:".count)) }
        return HTTPAddress.hasScheme(url) || url.contains(text: ",:") ? nil : url
    }

    // MARK: - Rules

    func countOpen() throws(MediaError) {
        if let violation { throw violation }
        if opens.call != interrupt.callNumber { opens = (interrupt.callNumber, 0) }
        opens.count += 1
        guard opens.count <= rules.maximumOpens else {
            let reason = childCause.map { " (the last one: \($0))" } ?? ""
            throw violate("more than \(rules.maximumOpens) files or addresses at once\(reason)")
        }
    }

    func checkDepth(_ depth: Int) throws(MediaError) {
        guard depth <= rules.maximumDepth else {
            throw violate("playlists nested more than \(rules.maximumDepth) levels deep")
        }
    }

    func violate(_ what: String) -> MediaError {
        let error = MediaError(
            .limitExceeded, subject: subject, cause: "it refers to \(what)",
            remedy: "raise the limit if you trust the file")
        violation = error
        interrupt.stop()
        return error
    }

    private func admit(_ scheme: AssetAccessRules.Scheme, _ subject: String) throws(MediaError) {
        guard rules.schemes.contains(scheme) else {
            throw MediaError(
                .notAllowed, subject: subject, cause: "\(scheme.rawValue) is not allowed",
                remedy: "add it to the schemes of the access rules if you trust the address")
        }
    }

    /// Opens an address to which the asset refers, if the asset may refer to addresses at all.
    func openFromNetwork(
        _ address: HTTPAddress, from start: Int64, to end: Int64?
    ) throws(MediaError) -> HTTPDataSource {
        try admitNetwork(address)
        transfer.noteNetwork()
        return try network.openChild(
            address, from: start, to: end,
            early: takeEarlyRequest(address, from: start, to: end))
    }

    /// Throws an error unless the asset may refer to addresses.
    func admitNetwork(_ address: HTTPAddress) throws(MediaError) {
        func refusal(_ cause: String) -> MediaError {
            MediaError(.notAllowed, subject: address.publicDescription, cause: cause)
        }
        switch base {
        case .network: break
        case .folder:
            guard rules.filesMayReachNetwork else {
                throw refusal("a file may not refer to the network")
            }
        case .nothing: throw refusal("data from the caller may not refer to the network")
        }
    }

    /// Returns an error about a child, with the name of the asset that refers to the child.
    func blaming(_ url: String, for error: MediaError) -> MediaError {
        // The playlists of a presentation are written here; an error in one concerns the MPD, or a
        // file to which the MPD refers.
        let isWritten = PresentationName.index(url) != nil
        if isWritten, error.subject == subject { return error }
        var failure = error
        failure.subject = subject
        let name = isWritten ? error.subject.printableAddress : Self.name(url)
        failure.cause = "it refers to \(name): \(error.cause)"
        if failure.code == .notAllowed {
            failure.remedy = "allow it in the access rules if you trust the playlist"
        }
        return failure
    }

    /// Returns the address that FFmpeg requests, without FFmpeg's prefixes, user and password.
    static func name(_ url: String) -> String {
        var name = Substring(url)
        for prefix in ["crypto+", "crypto:", "file:"] where name.hasPrefix(prefix) {
            name = name.dropFirst(prefix.count)
        }
        if let address = HTTPAddress(String(name)), address.userInformation != nil {
            return address.publicDescription.printableAddress
        }
        return AssetLocation(String(name)).publicDescription.printableAddress
    }
}
