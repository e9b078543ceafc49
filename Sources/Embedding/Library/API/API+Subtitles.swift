// SPDX-License-Identifier: Apache-2.0

public import CPlayhead
import PlayheadAssets
import PlayheadFFmpeg
import PlayheadPlayback
import PlayheadTime

@c @implementation
public func playhead_add_subtitles(
    _ player: OpaquePointer?, _ path: UnsafePointer<CChar>?,
    _ index: UnsafeMutablePointer<UInt32>?
) -> playhead_status {
    Call.player(player) { player in
        let path = try Argument.text(path, "path")
        let places = try SubtitleFile.tracks(path).map {
            try player.addSubtitles($0.asset, name: $0.name, language: $0.language)
        }
        if let first = places.first { index?.pointee = first }
        return PLAYHEAD_OK
    }
}

@c @implementation
public func playhead_add_subtitles_memory(
    _ player: OpaquePointer?, _ bytes: UnsafeRawPointer?, _ size: Int,
    _ name: UnsafePointer<CChar>?, _ index: UnsafeMutablePointer<UInt32>?
) -> playhead_status {
    Call.player(player) { player in
        let copy = try Argument.bytes(bytes, size)
        let name = name.map { String(cString: $0) } ?? "memory"
        let place = try player.addSubtitles(
            SubtitleFile.asset(copy, name: name), name: name,
            language: SubtitleFile.language(of: name))
        index?.pointee = place
        return PLAYHEAD_OK
    }
}

@c @implementation
public func playhead_set_subtitle_style(
    _ player: OpaquePointer?, _ style: UnsafePointer<playhead_subtitle_style>?
) -> playhead_status {
    Call.player(player) { player in
        let style = try Argument.read(style, "style")
        let scale = style.scale == 0 ? 1 : style.scale
        guard (0.1...10).contains(scale) else {
            throw CallFailure.argument(
                "style.scale must be between 0.1 and 10, or 0 to select 1, not \(style.scale)")
        }
        guard (0...100).contains(style.elevation) else {
            throw CallFailure.argument(
                "style.elevation must be between 0 and 100 percent, not \(style.elevation)")
        }
        let delay = try Argument.time(style.delay, "style.delay")
        player.setSubtitleStyle(
            HostedSubtitles.Style(
                isHidden: style.is_hidden != 0, delay: MediaTime(nanoseconds: delay),
                scale: scale, elevation: style.elevation))
        return PLAYHEAD_OK
    }
}

@c @implementation
public func playhead_get_subtitle_text(
    _ player: OpaquePointer?, _ host_time: Int64, _ text: UnsafeMutablePointer<CChar>?,
    _ capacity: Int, _ size: UnsafeMutablePointer<Int>?
) -> playhead_status {
    Call.player(player) { player in
        let hostTime = player.hostTime(try Argument.time(host_time, "host_time"))
        guard text != nil || capacity == 0 else {
            throw CallFailure.argument("text must not be NULL")
        }
        guard (0..<Argument.sizeLimit).contains(capacity) else {
            throw CallFailure.argument(
                "capacity must be less than 2^47 bytes, not \(UInt(bitPattern: capacity))")
        }
        let film = try player.film()
        guard let output = film.subtitles?.words else { return PLAYHEAD_EMPTY }
        let words = output.text(forItemTime: output.itemTime(forHostTime: hostTime))
        guard !words.isEmpty else { return PLAYHEAD_EMPTY }
        if let text, capacity > 0 {
            words.copy(to: UnsafeMutableRawBufferPointer(start: text, count: capacity))
        }
        size?.pointee = words.utf8.count + 1
        return PLAYHEAD_OK
    }
}
