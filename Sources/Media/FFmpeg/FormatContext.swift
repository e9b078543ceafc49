// SPDX-License-Identifier: Apache-2.0

import CPlayheadFFmpeg
import Glibc
import PlayheadAssets

/// An opened container: FFmpeg's format context and the byte stream under it.
///
/// The byte stream is opened first and the format probed before any demuxer runs, so that formats
/// which would open further files or addresses are refused before they can.
///
/// - Concurrency: one thread at a time.
/// - Ownership: closes both when released.
/// - Corresponds to: `AVFormatContext`, `AVIOContext`.
final class FormatContext {
    let pointer: UnsafeMutablePointer<AVFormatContext>
    let interrupt: Interrupt
    private var input: UnsafeMutablePointer<AVIOContext>?

    /// What of the network is let through, and for files nothing but files. FFmpeg's own default
    /// lets a file lead to any protocol.
    private static let remoteProtocols = "http,https,tcp,tls,crypto,data"
    private static let localProtocols = "file"

    /// Demuxers that are never used. The first two lines open whatever other files, devices or
    /// addresses their text names; the third shows any text as a film of itself.
    private static let refusedFormats: [String: String] = [
        "hls": "playlist", "dash": "playlist", "concat": "playlist", "sdp": "playlist",
        "rtsp": "playlist", "rtp": "playlist", "imf": "playlist", "webm_dash_manifest": "playlist",
        "image2": "playlist", "vobsub": "playlist", "lavfi": "playlist", "avisynth": "playlist",
        "vapoursynth": "playlist", "ffmetadata": "text", "tty": "text",
    ]

    /// Opens and probes; blocks until the tracks are known.
    init(
        _ location: AssetLocation, limits: MediaLimits, interrupt: Interrupt
    ) throws(MediaError) {
        FFmpegLog.silence()
        self.interrupt = interrupt
        let subject = location.description
        interrupt.begin()

        let (url, protocols) = try Self.resolve(location)
        var input = try Self.openInput(
            url, protocols: protocols, subject: subject, interrupt: interrupt)
        var context = avformat_alloc_context()
        var isComplete = false
        defer {
            if !isComplete {
                avformat_close_input(&context)
                avio_closep(&input)
            }
        }
        guard let allocated = context else {
            throw FFmpegError.outOfMemory.whileReading(subject, interrupt: interrupt)
        }
        allocated.pointee.interrupt_callback = interrupt.callback
        allocated.pointee.pb = input
        // The byte stream is ours to close, whether or not a demuxer ever gets to see it.
        allocated.pointee.flags |= AVFMT_FLAG_CUSTOM_IO
        let (format, score) = try Self.probe(
            input, url: url, subject: subject, interrupt: interrupt)

        var options = Options()
        options["protocol_whitelist"] = protocols
        // MPEG transport streams cut from a broadcast may list their programs late; ffprobe and
        // ffplay set this too.
        options["scan_all_pmts"] = "1"
        options["max_streams"] = String(limits.tracks)
        let opened = FFmpegError(avformat_open_input(&context, url, format, &options.pointer))
        guard opened.rawValue >= 0, let context else {
            if opened == .invalidData, score < Self.surenessOfFormat {
                throw Self.unknownFormat(subject)
            }
            throw Self.explain(opened, format: format, subject: subject, interrupt: interrupt)
        }
        try Self.check(context, against: limits, subject: subject)
        try Self.findStreamInformation(
            context, limits: limits, subject: subject, interrupt: interrupt)
        try Self.check(context, against: limits, subject: subject)
        isComplete = true
        pointer = context
        self.input = input
    }

    deinit {
        var context: UnsafeMutablePointer<AVFormatContext>? = pointer
        avformat_close_input(&context)
        avio_closep(&input)
    }

    var streams: UnsafeBufferPointer<UnsafeMutablePointer<AVStream>?> {
        UnsafeBufferPointer(start: pointer.pointee.streams, count: Int(pointer.pointee.nb_streams))
    }

    // MARK: - Steps of opening

    /// The URL by which FFmpeg opens the location, and the protocols that it may use. A file is
    /// looked at first: only regular ones are opened, since opening a pipe or a device may block
    /// for ever, or never end.
    private static func resolve(
        _ location: AssetLocation
    ) throws(MediaError) -> (url: String, protocols: String) {
        switch location {
        case .remote(let url):
            return (url, remoteProtocols)
        case .file(let path):
            func refusal(
                _ cause: String, _ remedy: String, code: MediaError.Code = .cannotOpen
            ) -> MediaError {
                MediaError(code, subject: path, cause: cause, remedy: remedy)
            }
            guard !path.isEmpty, !path.utf8.contains(0) else {
                throw refusal("an empty path names no file", "name a file")
            }
            var status = stat()
            guard stat(path, &status) == 0 else {
                let error = errno
                if error == ENOENT, let scheme = path.firstRange(of: "://") {
                    throw refusal(
                        "there is no such file, and addresses of \(path[..<scheme.lowerBound]) "
                            + "are not supported", "use a file, or http or https")
                }
                switch error {
                case ENOENT, ENOTDIR: throw refusal("there is no such file", "check the path")
                case EACCES: throw refusal("it may not be read", "check its permissions")
                default: throw refusal("it cannot be read (\(errorText(error)))", "check the path")
                }
            }
            switch status.st_mode & S_IFMT {
            case S_IFREG: break
            case S_IFDIR: throw refusal("it is a directory", "name a file in it")
            default: throw refusal("it is a device or a pipe, not a file", "copy it to a file")
            }
            guard access(path, R_OK) == 0 else {
                throw refusal("it may not be read", "check its permissions")
            }
            guard status.st_size > 0 else {
                throw refusal(
                    "the file is empty", "copy or download it again", code: .unknownFormat)
            }
            // With the protocol spelled out, nothing in the name is taken for one.
            return ("file:" + absolutePath(path), localProtocols)
        }
    }

    private static func absolutePath(_ path: String) -> String {
        guard !path.hasPrefix("/"), let directory = getcwd(nil, 0) else { return path }
        defer { free(directory) }
        return String(cString: directory) + "/" + path
    }

    private static func openInput(
        _ url: String, protocols: String, subject: String, interrupt: Interrupt
    ) throws(MediaError) -> UnsafeMutablePointer<AVIOContext>? {
        var input: UnsafeMutablePointer<AVIOContext>?
        var callback = interrupt.callback
        var options = Options()
        options["protocol_whitelist"] = protocols
        let opened = FFmpegError(
            avio_open2(&input, url, AVIO_FLAG_READ, &callback, &options.pointer))
        guard opened.rawValue >= 0 else {
            throw opened.whileReading(subject, interrupt: interrupt)
        }
        return input
    }

    private static func probe(
        _ input: UnsafeMutablePointer<AVIOContext>?, url: String, subject: String,
        interrupt: Interrupt
    ) throws(MediaError) -> (UnsafePointer<AVInputFormat>, score: Int32) {
        var format: UnsafePointer<AVInputFormat>?
        let score = av_probe_input_buffer2(input, &format, url, nil, 0, 0)
        guard score >= 0, let format else {
            let error = FFmpegError(score)
            if error == .invalidData || error == .endOfFile { throw unknownFormat(subject) }
            throw error.whileReading(subject, interrupt: interrupt)
        }
        switch refusedFormats[String(cString: format.pointee.name)] {
        case "playlist":
            throw MediaError(
                .unknownFormat, subject: subject,
                cause: "it is a playlist or a manifest, which only names other files or addresses",
                remedy: "open one of those")
        case .some:
            throw MediaError(
                .unknownFormat, subject: subject, cause: "it is text",
                remedy: "open a film, sound or picture")
        case nil:
            return (format, score)
        }
    }

    /// A score below which FFmpeg has little but the file's name to go by:
    /// `AVPROBE_SCORE_RETRY`, a quarter of certainty.
    private static let surenessOfFormat = AVPROBE_SCORE_MAX / 4

    private static func unknownFormat(_ subject: String) -> MediaError {
        MediaError(
            .unknownFormat, subject: subject,
            cause: "it is no film, sound or picture in a known format",
            remedy: "check that it is complete, and what it is with the command file")
    }

    private static func findStreamInformation(
        _ context: UnsafeMutablePointer<AVFormatContext>, limits: MediaLimits, subject: String,
        interrupt: Interrupt
    ) throws(MediaError) {
        // Probing decodes; the limit keeps those decoders from allocating what a header claims.
        let count = Int(context.pointee.nb_streams)
        var options = (0..<count).map { _ in
            var options = Options()
            options["max_pixels"] = String(limits.picturePixels)
            return options.release()
        }
        let found = FFmpegError(avformat_find_stream_info(context, &options))
        for index in options.indices { av_dict_free(&options[index]) }
        // What is known without it may still play, unless reading was cut short from outside.
        if interrupt.isCancelled || interrupt.isOverdue || found == .outOfMemory {
            let error = found == .outOfMemory ? found : .interrupted
            throw error.whileReading(subject, interrupt: interrupt)
        }
    }

    private static func check(
        _ context: UnsafeMutablePointer<AVFormatContext>, against limits: MediaLimits,
        subject: String
    ) throws(MediaError) {
        func refusal(_ cause: String) -> MediaError {
            MediaError(
                .limitExceeded, subject: subject, cause: cause,
                remedy: "raise the limit if the file is to be trusted")
        }
        guard Int(context.pointee.nb_streams) <= limits.tracks else {
            throw refusal("it has more than \(limits.tracks) tracks")
        }
        for index in 0..<Int(context.pointee.nb_streams) {
            guard let parameters = context.pointee.streams[index]?.pointee.codecpar.pointee else {
                continue
            }
            if let cause = limits.refusal(
                ofPictureWidth: Int(parameters.width), height: Int(parameters.height))
            {
                throw refusal(cause)
            }
            let channels = Int(parameters.ch_layout.nb_channels)
            guard channels <= limits.audioChannels else {
                throw refusal(
                    "its \(channels) sound channels pass the limit of \(limits.audioChannels)")
            }
            guard Int(parameters.sample_rate) <= limits.audioSampleRate else {
                throw refusal(
                    "its \(parameters.sample_rate) samples a second pass the limit of "
                        + "\(limits.audioSampleRate)")
            }
        }
    }

    private static func explain(
        _ error: FFmpegError, format: UnsafePointer<AVInputFormat>, subject: String,
        interrupt: Interrupt
    ) -> MediaError {
        let name = String(cString: format.pointee.name)
        if error == .invalidData, name.hasPrefix("mov,") {
            return MediaError(
                .damaged, subject: subject,
                cause: "the file is incomplete: its index (the moov box) is missing or cut off",
                remedy: "copy or download it again")
        }
        switch error {
        case .invalidData, .endOfFile, FFmpegError(ph_AVERROR(EINVAL)):
            return MediaError(
                .damaged, subject: subject, cause: "its \(name) header is damaged or incomplete",
                remedy: "copy or download it again")
        case .notImplemented:
            return MediaError(
                .unknownFormat, subject: subject,
                cause: "it uses a variant of \(name) that is not supported",
                remedy: "convert it, for example with ffmpeg")
        default:
            return error.whileReading(subject, interrupt: interrupt)
        }
    }

    private static func errorText(_ code: Int32) -> String { FFmpegError(ph_AVERROR(code)).text }
}
