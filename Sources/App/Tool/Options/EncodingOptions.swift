// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import PlayheadEditing

/// The options for codecs, and for the contents of a written file other than frames and audio.
struct EncodingOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Codec: \(VideoCodecType.allCases.map(\.rawValue).joined(separator: ", ")); inferred "
                + "from the file extension by default."),
        completion: .list(VideoCodecType.allCases.map(\.rawValue)))
    var codec: String?

    @Option(
        help: ArgumentHelp(
            "Quality as a constant rate factor of h264, hevc, av1 and vp9: lower is better.",
            valueName: "number"))
    var crf: Int?

    @Option(
        help: ArgumentHelp(
            "Mean bit rate of the video, such as 4M; a constant quality by default.",
            valueName: "rate"),
        transform: BitRateArgument.init(argument:))
    var bitrate: BitRateArgument?

    @Option(
        help: ArgumentHelp(
            "Number of passes, 1 or 2. With 2, h264 and hevc analyse the video first, to meet "
                + "--bitrate.", valueName: "number"))
    var passes = 1

    @Option(
        help: ArgumentHelp(
            "Format of the encoded samples: \(SampleFormatArgument.names.joined(separator: ", ")) "
                + "or rgb; that of the codec by default.", valueName: "format"),
        completion: .list(SampleFormatArgument.names + ["rgb"]),
        transform: SampleFormatArgument.init(argument:))
    var pixelFormat: SampleFormatArgument?

    @Flag(
        help: """
            Try a hardware encoder first (NVENC, VA-API). If it cannot be opened, software \
            encodes, and a line reports this.
            """)
    var hardwareEncoder = false

    @Flag(
        help: "Keep HDR, in 10 bits. By default, HDR video is tone mapped to SDR, as on screen.")
    var hdr = false

    @Option(
        help: ArgumentHelp(
            "Audio codec: \(AudioCodecType.allCases.map(\.rawValue).joined(separator: ", ")); "
                + "inferred from the video codec or the file extension by default.",
            valueName: "codec"),
        completion: .list(AudioCodecType.allCases.map(\.rawValue)))
    var audioCodec: String?

    @Option(
        help: ArgumentHelp("Bit rate of aac or opus audio, such as 192k.", valueName: "rate"),
        transform: BitRateArgument.init(argument:))
    var audioBitrate: BitRateArgument?

    @Option(
        help: ArgumentHelp(
            "Chapters: a text file with lines such as '1:02:03 Title', or none; those of the input "
                + "by default.", valueName: "file"),
        completion: .file())
    var chapters: String?

    @Option(
        help: ArgumentHelp(
            "Metadata such as title=Name, which replaces that of the input; title= removes it. "
                + "Repeatable.", valueName: "key=value"))
    var metadata: [String] = []

    @Flag(help: "Copy the compressed samples, without decoding and encoding.")
    var noReencode = false

    @Flag(help: "Leave no file after an interruption.")
    var discardPartial = false

    func validate() throws {
        if let codec, VideoCodecType(rawValue: codec) == nil {
            throw ValidationError(
                "--codec \(codec): expected "
                    + VideoCodecType.allCases.map(\.rawValue).joined(separator: ", "))
        }
        if let audioCodec, AudioCodecType(rawValue: audioCodec) == nil {
            throw ValidationError(
                "--audio-codec \(audioCodec): expected "
                    + AudioCodecType.allCases.map(\.rawValue).joined(separator: ", "))
        }
        if let crf, !(0...63).contains(crf) {
            throw ValidationError("--crf \(crf): expected 0 to 63")
        }
        if crf != nil, bitrate != nil {
            throw ValidationError("--bitrate and --crf exclude each other; remove one")
        }
        guard (1...2).contains(passes) else {
            throw ValidationError("--passes \(passes): expected 1 or 2")
        }
        if passes == 2, bitrate == nil {
            throw ValidationError("--passes: two passes need a target bit rate; set --bitrate")
        }
        for item in metadata where !item.dropFirst().contains("=") || item.hasPrefix("=") {
            throw ValidationError("--metadata: expected KEY=VALUE, found '\(item)'")
        }
        guard noReencode else { return }
        let unused = [
            ("--codec", codec != nil), ("--crf", crf != nil), ("--bitrate", bitrate != nil),
            ("--pixel-format", pixelFormat != nil), ("--audio-codec", audioCodec != nil),
            ("--audio-bitrate", audioBitrate != nil), ("--hdr", hdr),
            ("--hardware-encoder", hardwareEncoder),
        ]
        if let (name, _) = unused.first(where: \.1) {
            throw ValidationError(
                "--no-reencode copies samples unchanged, so it cannot be combined with \(name); "
                    + "remove one of the two")
        }
    }

    /// Returns the metadata of a file: that of the input, with the items of `--metadata`.
    func metadata(over items: [MetadataItem]) -> [MetadataItem] {
        metadata.reduce(into: items) { items, text in
            let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            let (key, value) = (String(parts[0]), String(parts[1]))
            // These are QuickTime's names for the same items.
            let names = [key.lowercased(), "com.apple.quicktime.\(key.lowercased())"]
            items.removeAll { names.contains($0.key.lowercased()) }
            if !value.isEmpty { items.append(MetadataItem(key: key, value: .text(value))) }
        }
    }

    /// Returns the chapters of a file; nil for those of the input.
    ///
    /// - Parameter end: the end of the file, at which the last chapter ends; not numeric if
    ///   unknown.
    func chapterList(end: MediaTime) throws -> [Chapter]? {
        guard let chapters else { return nil }
        return chapters == "none" ? [] : try ChapterFile(path: chapters).chapters(end: end)
    }
}
