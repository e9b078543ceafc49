// SPDX-License-Identifier: Apache-2.0

import PlayheadTime

extension PlayerCommand: CustomStringConvertible {
    /// The command as text, which parses to the same command.
    package var description: String {
        words.map(CommandWords.quoted).joined(separator: " ")
    }

    /// The name and the arguments of the command.
    package var words: [String] {
        switch self {
        case .seek(let target, let precision): Self.words(target, precision)
        case .seekLive: ["seek-live"]
        case .revertSeek: ["revert-seek"]
        case .frameStep: ["frame-step"]
        case .frameBackStep: ["frame-back-step"]
        case .set(let property, let value): ["set", property.rawValue, value.description]
        case .add(let property, let amount):
            ["add", property.rawValue, CommandTime.text(amount)]
        case .multiply(let property, let factor):
            ["multiply", property.rawValue, CommandTime.text(factor)]
        case .cycle(let property, let isForward):
            ["cycle", property.rawValue] + (isForward ? [] : ["down"])
        case .cycleValues(let property, let values):
            ["cycle-values", property.rawValue] + values.map(\.description)
        case .abLoop: ["ab-loop"]
        case .loadFile(let path, let mode): ["loadfile", path, mode.rawValue]
        case .playlistNext: ["playlist-next"]
        case .playlistPrevious: ["playlist-prev"]
        case .playlistPlay(let index): ["playlist-play-index", String(index)]
        case .playlistClear: ["playlist-clear"]
        case .playlistRemove(let index):
            ["playlist-remove", index.map { String($0) } ?? "current"]
        case .playlistMove(let from, let before):
            ["playlist-move", String(from), String(before)]
        case .playlistShuffle: ["playlist-shuffle"]
        case .stop: ["stop"]
        case .screenshot(let content): ["screenshot", content.rawValue]
        case .screenshotToFile(let path, let content):
            ["screenshot-to-file", path, content.rawValue]
        case .showText(let text, let duration):
            ["show-text", text]
                + (duration.map { [String(Int64(($0.seconds * 1000).rounded()))] } ?? [])
        case .printText(let text): ["print-text", text]
        case .showProgress: ["show-progress"]
        case .showStatistics(let page, let stays):
            ["show-statistics"] + (stays || page != nil ? [stays ? "stays" : "once"] : [])
                + (page.map { [String($0)] } ?? [])
        case .showKeys: ["show-keys"]
        case .showPlaylist: ["show-playlist"]
        case .showTracks: ["show-tracks"]
        case .trim: ["trim"]
        case .browse: ["browse"]
        case .clearEffects: ["clear-effects"]
        case .resetEffects: ["reset-effects"]
        case .subtitleAdd(let path): ["sub-add", path]
        case .subtitleSeek(let count): ["sub-seek", String(count)]
        case .subtitleStep(let count): ["sub-step", String(count)]
        case .message(let name, let arguments): ["script-message", name] + arguments
        case .keyPress(let chord): ["keypress", chord.description]
        case .keyBind(let chord, let commands):
            ["keybind", chord.description, commands.description]
        case .quit(let status): ["quit"] + (status.map { [String($0)] } ?? [])
        case .quitWatchLater(let status):
            ["quit-watch-later"] + (status.map { [String($0)] } ?? [])
        case .ignore: ["ignore"]
        }
    }

    private static func words(_ target: SeekTarget, _ precision: SeekPrecision) -> [String] {
        let exactness = precision == .automatic ? [] : [precision.rawValue]
        return switch target {
        case .relative(let time): ["seek", CommandTime.text(time)] + exactness
        case .absolute(let time): ["seek", CommandTime.text(time), "absolute"] + exactness
        case .relativePercent(let percent):
            ["seek", CommandTime.text(percent), "relative-percent"] + exactness
        case .percent(let percent):
            ["seek", CommandTime.text(percent), "absolute-percent"] + exactness
        }
    }
}
