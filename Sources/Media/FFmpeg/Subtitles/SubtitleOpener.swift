// SPDX-License-Identifier: Apache-2.0

import PlayheadAssets

/// An opener of subtitle files. Text is converted to UTF-8 in memory, a VobSub index is opened with
/// the bitmap file beside it, and other files are opened like videos.
struct SubtitleOpener: AssetOpener {
    /// The data; nil if `name` is the path or address of a file that is read instead.
    let data: MemoryDataSource?
    let name: String
    private let location: AssetLocation
    /// The index of the track to open in a VobSub pair; nil to open all tracks.
    let track: Int?
    let encoding: String?
    let options: AssetOptions

    init(
        data: MemoryDataSource?, name: String, track: Int?, encoding: String?,
        options: AssetOptions
    ) {
        (self.data, self.name, self.track, self.encoding) = (data, name, track, encoding)
        location = AssetLocation(name)
        var options = options
        options.allowsSubtitlesOnly = true
        self.options = options
    }

    func openDemuxer(cancellation: Cancellation) throws(MediaError) -> any Demuxer {
        let source = try source(cancellation)
        let head = try Self.bytes(of: source, limit: 512)
        if VobSubIndex.isIndex(head) { return try pair(index: source, cancellation) }
        if VobSubPictures.isPack(head), let index = try? file(ending: "idx"),
            let start = try? Self.bytes(of: index, limit: 512), VobSubIndex.isIndex(start)
        {
            return try pair(index: index, pictures: source, cancellation)
        }
        let text = Self.isBinary(head) ? nil : try text(of: source)
        if let text, let demuxer = try parsed(text) { return demuxer }
        let opener = opener(of: source, text)
        do throws(MediaError) {
            // FFmpeg treats some binary files as text, and finds no line in them.
            if Self.isBinary(head) || Self.isEBU(head),
                try opener.openDemuxer(cancellation: cancellation).readPacket() == nil
            {
                throw isUnknown
            }
            return try opener.openDemuxer(cancellation: cancellation)
        } catch {
            throw error.code == .unknownFormat ? isUnknown : error
        }
    }

    private var isUnknown: MediaError {
        MediaError(
            .unknownFormat, subject: name,
            cause: "it contains no subtitles in a known format",
            remedy: "save them as SubRip (.srt), ASS or WebVTT")
    }

    /// The index of a VobSub pair; nil if the file does not belong to a pair.
    var index: VobSubIndex? {
        get throws(MediaError) {
            let source = try SandboxedFile.open(location.description).source
            let head = try Self.bytes(of: source, limit: 512)
            if VobSubIndex.isIndex(head) { return try index(in: source) }
            guard VobSubPictures.isPack(head) else { return nil }
            let index = try file(ending: "idx")
            let start = try Self.bytes(of: index, limit: 512)
            return VobSubIndex.isIndex(start) ? try self.index(in: index) : nil
        }
    }

    /// The SAMI contents of the file; nil for a file in another format.
    var sami: SAMI? {
        get throws(MediaError) {
            SAMI(try text(of: try SandboxedFile.open(location.description).source))
        }
    }

    private func source(_ cancellation: Cancellation) throws(MediaError) -> any MediaDataSource {
        if let data { return data }
        guard case .remote(let url) = location else {
            return try SandboxedFile.open(location.description).source
        }
        return MemoryDataSource(try loaded(url, cancellation))
    }

    /// Loads and returns the data at an address.
    private func loaded(
        _ url: String, _ cancellation: Cancellation
    ) throws(MediaError) -> [UInt8] {
        guard let address = HTTPAddress(url) else {
            throw MediaError(
                .cannotOpen, subject: location.publicDescription,
                cause: "it is not a valid address",
                remedy: "check the address")
        }
        let interrupt = Interrupt(cancellation: cancellation, options: options)
        interrupt.begin(opens: true)
        do throws(MediaError) {
            let limit = options.limits.subtitles.fileBytes
            let loader = HTTPResourceLoader(
                options: options, interrupt: interrupt, decodedLimit: limit)
            let bytes = try Self.bytes(
                of: loader.openAsset(address), limit: limit + 1,
                isCancelled: { interrupt.isTriggered })
            guard bytes.count <= limit else { throw isTooLarge }
            return bytes
        } catch {
            throw interrupt.explaining(error)
        }
    }

    /// Returns a demuxer of a file in one of the formats that are parsed here; nil for others.
    private func parsed(_ text: [UInt8]) throws(MediaError) -> CueDemuxer? {
        let limits = options.limits.subtitles
        let script = SubtitleScript(header: StyledText.header)
        if TTMLDocument.isTTML(text) {
            let document = try TTMLDocument(text, subject: name)
            return CueDemuxer(
                document.cues(limits: limits), script, codec: "ttml",
                codecName: "Timed Text Markup Language", limits: options.limits)
        }
        guard WebVTTFile.isWebVTT(text) else { return nil }
        let file = WebVTTFile(text, limit: limits.lineCount)
        return CueDemuxer(
            file.subtitles(limits: limits), script, codec: "webvtt",
            codecName: "WebVTT subtitle", limits: options.limits)
    }

    /// Returns an opener of a file by FFmpeg.
    ///
    /// - Parameter text: The contents in UTF-8; nil for bitmaps of discs, which are not text, and
    ///   whose files may have any size.
    private func opener(of source: any MediaDataSource, _ text: [UInt8]?) -> FFmpegOpener {
        if let text {
            return FFmpegOpener(
                .data(MemoryDataSource(readable(text)), name: fileName), options: options)
        }
        guard source is MemoryDataSource else {
            return FFmpegOpener(location, options: options)
        }
        return FFmpegOpener(.data(source, name: fileName), options: options)
    }

    private func text(of source: any MediaDataSource) throws(MediaError) -> [UInt8] {
        let limit = options.limits.subtitles.fileBytes
        guard source.byteCount ?? 0 <= Int64(limit) else { throw isTooLarge }
        return try TextEncoding.utf8(
            try Self.bytes(of: source, limit: limit), encoding: encoding, subject: name)
    }

    private var isTooLarge: MediaError {
        MediaError(
            .limitExceeded, subject: name,
            cause: "it has more than \(options.limits.subtitles.fileBytes >> 20) MiB, too much "
                + "for text subtitles", remedy: "check that it is a subtitle file")
    }

    /// Returns text in a form that FFmpeg can read, regardless of its format.
    private func readable(_ text: [UInt8]) -> [UInt8] {
        if let sami = SAMI(text) {
            let place = track ?? 0
            return sami.languages.indices.contains(place)
                ? sami.text(of: sami.languages[place]) : text
        }
        if SCC.isSCC(text) { return SCC.normalized(text) }
        return SubRip.normalized(text)
    }

    /// The name whose extension shows the format. For an address, the query is removed.
    private var fileName: String {
        if data == nil, case .remote = location { return location.displayName }
        return name
    }

    // MARK: - Pairs

    /// Opens a VobSub pair.
    ///
    /// - Parameter pictures: The file with the bitmaps; nil for the file beside the index.
    private func pair(
        index source: any MediaDataSource, pictures: (any MediaDataSource)? = nil,
        _ cancellation: Cancellation
    ) throws(MediaError) -> VobSubDemuxer {
        let index = try index(in: source)
        let pictures: any MediaDataSource =
            if let pictures { pictures } else { try file(ending: "sub") }
        return try VobSubDemuxer(
            index, pictures: pictures, subject: name, only: track, limits: options.limits,
            cancellation: cancellation)
    }

    private func index(in source: any MediaDataSource) throws(MediaError) -> VobSubIndex {
        VobSubIndex(try text(of: source), limit: options.limits.subtitles.lineCount)
    }

    /// Opens the other file of a pair, which has the same name with a different extension.
    private func file(ending: String) throws(MediaError) -> any MediaDataSource {
        guard data == nil, case .file(let path) = location,
            let dot = path.lastIndex(of: ".")
        else {
            throw MediaError(
                .cannotOpen, subject: name,
                cause: "it is an index of subtitles (VobSub), whose bitmaps are in another file",
                remedy: "open it by a path that ends in .idx, with the .sub file beside it")
        }
        let stem = path[...dot]
        if let file = try? SandboxedFile.open(stem + ending.uppercased()) { return file.source }
        do throws(MediaError) {
            return try SandboxedFile.open(stem + ending).source
        } catch {
            throw MediaError(
                error.code, subject: name,
                cause: "\(stem)\(ending), which belongs to it, cannot be read: \(error.cause)",
                remedy: "put both files into one folder")
        }
    }

    // MARK: - Bytes

    /// Returns whether a file begins like TTML. XML beside a video may be anything.
    static func isTTML(_ path: String) -> Bool {
        guard let source = try? SandboxedFile.open(path).source,
            let head = try? bytes(of: source, limit: 4096),
            let text = try? TextEncoding.utf8(head, encoding: nil, subject: path)
        else { return false }
        return TTMLDocument.isTTML(text)
    }

    /// Returns whether a file begins with the disk format code of EBU Tech 3264, as in
    /// `850STL25.01`. Because of its extension, FFmpeg would treat the file as Spruce text.
    private static func isEBU(_ head: [UInt8]) -> Bool {
        head.dropFirst(3).starts(with: Array("STL".utf8))
    }

    private static func isBinary(_ head: [UInt8]) -> Bool {
        // Each PGS segment begins with these letters. In other files, a zero byte indicates binary
        // data, unless there is a byte order mark of UTF-16.
        if head.starts(with: Array("PG".utf8)) { return true }
        if head.starts(with: [0xFF, 0xFE]) || head.starts(with: [0xFE, 0xFF]) { return false }
        // In UTF-16 without a mark, every other byte is zero. Other data that contains zeros is
        // binary.
        return head.contains(0) && !TextEncoding.looksLikeUTF16(head)
    }

    private static func bytes(
        of source: any MediaDataSource, limit: Int, isCancelled: () -> Bool = { false }
    ) throws(MediaError) -> [UInt8] {
        var result: [UInt8] = []
        let part = UnsafeMutableRawBufferPointer.allocate(
            byteCount: min(limit, 1 << 16), alignment: 16)
        defer { part.deallocate() }
        while result.count < limit {
            let count = try source.read(
                into: part, at: Int64(result.count), isCancelled: isCancelled)
            if count == 0 { break }
            result += part[..<count]
        }
        return result.count > limit ? Array(result.prefix(limit)) : result
    }
}
