// SPDX-License-Identifier: Apache-2.0

public import CPlayhead
import PlayheadAssets
import PlayheadBuffers
import PlayheadFFmpeg
import PlayheadPlayback
import PlayheadTime
import Synchronization

@c @implementation
public func playhead_open(
    _ player: OpaquePointer?, _ location: UnsafePointer<CChar>?
) -> playhead_status {
    Call.player(player) { player in
        let location = AssetLocation(try Argument.text(location, "location"))
        let options = player.control.withLock { $0.assetOptions }
        try player.open(
            URLAsset(location: location, opener: FFmpegOpener(location, options: options)))
        return PLAYHEAD_OK
    }
}

@c @implementation
public func playhead_open_fd(
    _ player: OpaquePointer?, _ fd: Int32, _ name: UnsafePointer<CChar>?
) -> playhead_status {
    Call.player(player) { player in
        let name = name.map { String(cString: $0) } ?? "file descriptor \(fd)"
        try player.open(try FileDescriptorDataSource(fd, subject: name), name: name)
        return PLAYHEAD_OK
    }
}

@c @implementation
public func playhead_open_memory(
    _ player: OpaquePointer?, _ bytes: UnsafeRawPointer?, _ size: Int,
    _ name: UnsafePointer<CChar>?
) -> playhead_status {
    Call.player(player) { player in
        try player.open(
            MemoryDataSource(try Argument.bytes(bytes, size)),
            name: name.map { String(cString: $0) } ?? "memory")
        return PLAYHEAD_OK
    }
}

@c @implementation
public func playhead_open_stream(
    _ player: OpaquePointer?, _ stream: UnsafePointer<playhead_stream>?,
    _ name: UnsafePointer<CChar>?
) -> playhead_status {
    let name = name.map { String(cString: $0) } ?? "stream"
    // The stream is created before anything can fail, so that it is closed when its last reference
    // is released, even if this call fails.
    let hosted = (try? Argument.read(stream, "stream")).map { HostedStream($0, name: name) }
    return Call.player(player) { player in
        let stream = try Argument.read(stream, "stream")
        guard let hosted, stream.read != nil, stream.size >= -1 else {
            throw CallFailure.argument(
                "stream.read must not be NULL, and stream.size must be -1 or greater, not "
                    + "\(stream.size)")
        }
        try player.open(hosted, name: name)
        return PLAYHEAD_OK
    }
}

@c @implementation
public func playhead_set_memory_limit(
    _ player: OpaquePointer?, _ bytes: UInt64
) -> playhead_status {
    Call.player(player) { player in
        let options = AssetOptions(limits: MediaLimits(hostedBytes: bytes))
        player.control.withLock { $0.assetOptions = options }
        return PLAYHEAD_OK
    }
}

@c @implementation
public func playhead_get_held_bytes(
    _ player: OpaquePointer?, _ bytes: UnsafeMutablePointer<UInt64>?
) -> playhead_status {
    Call.player(player) { player in
        guard let bytes else { throw CallFailure.argument("bytes must not be NULL") }
        let item = player.control.withLock { $0.film?.item }
        bytes.pointee = UInt64(item?.statistics.heldBytes ?? 0)
        return PLAYHEAD_OK
    }
}

@c @implementation
public func playhead_close(_ player: OpaquePointer?) -> playhead_status {
    Call.player(player) { player in
        player.close()
        return PLAYHEAD_OK
    }
}

@c @implementation
public func playhead_get_media_info(
    _ player: OpaquePointer?, _ info: UnsafeMutablePointer<playhead_media_info>?
) -> playhead_status {
    Call.player(player) { player in
        let info = try Argument.out(info, "info")
        if let camera = player.control.withLock({ $0.camera }) {
            var result = playhead_media_info()
            result.struct_size = info.pointee.struct_size
            try camera.describe(&result)
            info.pointee = result
            return PLAYHEAD_OK
        }
        let (film, description) = try player.readyFilm()
        var result = playhead_media_info()
        result.struct_size = info.pointee.struct_size
        result.duration = description.duration.hosted
        let playing = film.item.playingTracks
        if let track = playing.video, let video = track.formatDescription.video {
            result.flags |= UInt32(PLAYHEAD_MEDIA_HAS_VIDEO)
            let frame = video.frameSize
            let size = PresentationSize(
                width: frame.width, height: frame.height, attachments: video.attachments)
            result.width = Int32(clamping: Int(size.width.rounded()))
            result.height = Int32(clamping: Int(size.height.rounded()))
            result.frame_rate = track.nominalFrameRate
            result.rotation = Int32(video.attachments.orientation.degrees)
            result.is_mirrored = video.attachments.orientation.isMirrored ? 1 : 0
            result.color = playhead_color(
                video.shownColor, peakLuminance: video.attachments.peakLuminance)
        }
        if playing.audio != nil { result.flags |= UInt32(PLAYHEAD_MEDIA_HAS_AUDIO) }
        if !film.item.seekableTimeRanges.isEmpty {
            result.flags |= UInt32(PLAYHEAD_MEDIA_SEEKABLE)
        }
        result.track_count = UInt32(
            clamping: description.tracks.count
                + HostedPlayer.addedSubtitles(of: film.item).count)
        result.chapter_count = UInt32(clamping: description.chapters.count)
        withUnsafeMutableBytes(of: &result.container) { description.container.copy(to: $0) }
        info.pointee = result
        return PLAYHEAD_OK
    }
}

@c @implementation
public func playhead_get_track_info(
    _ player: OpaquePointer?, _ index: UInt32, _ info: UnsafeMutablePointer<playhead_track_info>?
) -> playhead_status {
    Call.player(player) { player in
        let info = try Argument.out(info, "info")
        var result = playhead_track_info()
        result.struct_size = info.pointee.struct_size
        let item = try player.film().item
        switch try player.track(index) {
        case .film(let track):
            result.fill(track.assetTrack)
            result.is_enabled = track.isEnabled ? 1 : 0
            if let option = item.subtitleOption(of: track) {
                result.is_enabled = HostedPlayer.isSelected(option, of: item) ? 1 : 0
            }
        case .subtitles(let option):
            result.kind = playhead_track_kind(PLAYHEAD_TRACK_SUBTITLE)
            result.identifier = Int32(clamping: option.id)
            result.is_enabled = HostedPlayer.isSelected(option, of: item) ? 1 : 0
            withUnsafeMutableBytes(of: &result.language) {
                (option.language?.description ?? "").copy(to: $0)
            }
            withUnsafeMutableBytes(of: &result.title) { option.displayName.copy(to: $0) }
        }
        info.pointee = result
        return PLAYHEAD_OK
    }
}

@c @implementation
public func playhead_enable_track(
    _ player: OpaquePointer?, _ index: UInt32, _ is_enabled: Int32
) -> playhead_status {
    Call.player(player) { player in
        switch try player.track(index) {
        case .subtitles(let option): try player.setSubtitles(option, isEnabled: is_enabled != 0)
        case .film(let track):
            if let option = try player.film().item.subtitleOption(of: track) {
                try player.setSubtitles(option, isEnabled: is_enabled != 0)
                break
            }
            let type = track.assetTrack.mediaType
            guard type == .video || type == .audio else {
                throw CallFailure(
                    PLAYHEAD_UNSUPPORTED,
                    "track \(index) holds \(type.rawValue); choose a video, audio or subtitle track"
                )
            }
            track.select(is_enabled != 0)
        }
        return PLAYHEAD_OK
    }
}

@c @implementation
public func playhead_get_chapter_info(
    _ player: OpaquePointer?, _ index: UInt32,
    _ info: UnsafeMutablePointer<playhead_chapter_info>?
) -> playhead_status {
    Call.player(player) { player in
        let info = try Argument.out(info, "info")
        let chapters = try player.readyFilm().1.chapters
        guard index < chapters.count else {
            throw CallFailure(
                PLAYHEAD_NOT_FOUND,
                "there is no chapter \(index); the media has \(chapters.count), counted from 0")
        }
        let chapter = chapters[Int(index)]
        var result = playhead_chapter_info()
        result.struct_size = info.pointee.struct_size
        result.start = chapter.timeRange.start.hosted
        result.end = chapter.timeRange.end.hosted
        withUnsafeMutableBytes(of: &result.title) { chapter.title.copy(to: $0) }
        info.pointee = result
        return PLAYHEAD_OK
    }
}

extension MediaLimits {
    /// Creates limits for a number of bytes; 0 for the defaults.
    fileprivate init(hostedBytes: UInt64) {
        self.init()
        guard hostedBytes > 0 else { return }
        let bytes = Int(clamping: hostedBytes)
        // The queue may use four times this size, because audio and video are far apart in some
        // files.
        queuedBytes = min(queuedBytes, max(Self.fewestQueuedBytes, bytes / 16))
        pictureBytes = min(pictureBytes, bytes / 4 * 3)
    }

    /// The minimum number of queued bytes, which is enough for some packets of audio and of video.
    private static let fewestQueuedBytes = 1 << 16
}

extension HostedPlayer {
    /// Opens media from a host's stream.
    fileprivate func open(_ source: any MediaDataSource, name: String) throws {
        let options = control.withLock { $0.assetOptions }
        try open(
            DataAsset(
                name: name, opener: FFmpegOpener(.data(source, name: name), options: options)))
    }
}

extension PlayerItem {
    /// Returns the selection option for a subtitle track; nil for other tracks.
    fileprivate func subtitleOption(of track: PlayerItemTrack) -> MediaSelectionOption? {
        mediaSelectionGroup(for: .legible)?.options.first { $0.id == track.assetTrack.id }
    }
}

extension playhead_track_info {
    /// Fills in all fields except the one that indicates whether the track is enabled.
    fileprivate mutating func fill(_ track: AssetTrack) {
        let format = track.formatDescription
        kind = playhead_track_kind(track.mediaType)
        identifier = Int32(clamping: track.id)
        width = Int32(clamping: format.video?.width ?? 0)
        height = Int32(clamping: format.video?.height ?? 0)
        frame_rate = track.nominalFrameRate
        sample_rate = Int32(clamping: format.audio?.sampleRate ?? 0)
        channel_count = Int32(clamping: format.audio?.channelCount ?? 0)
        withUnsafeMutableBytes(of: &codec) { format.codec.copy(to: $0) }
        withUnsafeMutableBytes(of: &language) { (track.languageTag ?? "").copy(to: $0) }
        withUnsafeMutableBytes(of: &title) { (track.title ?? "").copy(to: $0) }
    }
}

extension playhead_track_kind {
    fileprivate init(_ type: MediaType) {
        switch type {
        case .video: self.init(PLAYHEAD_TRACK_VIDEO)
        case .audio: self.init(PLAYHEAD_TRACK_AUDIO)
        case .subtitle, .closedCaption: self.init(PLAYHEAD_TRACK_SUBTITLE)
        case .timecode, .metadata, .data, .attachment: self.init(PLAYHEAD_TRACK_OTHER)
        }
    }
}
