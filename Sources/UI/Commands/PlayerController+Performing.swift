// SPDX-License-Identifier: Apache-2.0

import PlayheadAssets
import PlayheadPlayback
package import PlayheadTime

/// The commands that need only a player.
extension PlayerController {
    func performItself(_ command: PlayerCommand) throws(CommandError) {
        switch command {
        case .ignore: break
        case .seek(let target, let precision): try seek(target, precision)
        case .seekLive:
            guard let item = player.currentItem, item.livePosition != nil else {
                throw .failed("seek-live: the current file is not a live stream")
            }
            rememberTime()
            item.seek(to: .positiveInfinity)
            feedbackHandler(.progress)
        case .revertSeek:
            guard let time = timeBeforeSeek else { throw .unsupported("revert-seek") }
            try seek(.absolute(time), .exact)
        case .frameStep: step(by: 1)
        case .frameBackStep: step(by: -1)
        case .set(let property, let value):
            let wasBehind = player.currentItem?.isBehindWindow ?? false
            try set(property, to: value)
            tell(property)
            if property == .pause, wasBehind { tellReturn() }
        case .add(.chapter, let amount):
            try stepChapters(by: Int(amount))
            tell(.chapter)
        case .add(let property, let amount):
            let value = try present(property)
            try set(property, to: try PropertyChange.adding(amount, to: value, of: property))
            tell(property)
        case .multiply(let property, let factor):
            let value = try present(property)
            try set(
                property, to: try PropertyChange.multiplying(value, by: factor, of: property))
            tell(property)
        case .cycle(let property, let isForward):
            let wasBehind = player.currentItem?.isBehindWindow ?? false
            try cycle(property, isForward: isForward, choices: choices(of: property))
            if property == .pause, wasBehind { tellReturn() }
        case .cycleValues(let property, let values):
            try cycle(property, isForward: true, choices: values)
        case .abLoop: cycleLoop()
        case .playlistNext: try play(offset: 1)
        case .playlistPrevious: try play(offset: -1)
        case .playlistPlay(let index): try play(at: index)
        case .playlistClear, .playlistRemove, .playlistMove, .playlistShuffle:
            try arrange(command)
        case .loadFile(let path, .append): try append(path)
        case .loadFile(let path, .appendPlay): try append(path, plays: true)
        case .loadFile(let path, .insertNext): try append(path, isNext: true)
        case .loadFile(let path, .insertNextPlay): try append(path, isNext: true, plays: true)
        case .stop: stop()
        case .showText(let text, let duration):
            feedbackHandler(.text(text, duration: duration))
        case .showProgress: feedbackHandler(.progress)
        case .loadFile, .screenshot, .screenshotToFile, .showStatistics, .showKeys,
            .showPlaylist, .showTracks, .trim, .browse, .printText, .clearEffects, .resetEffects,
            .subtitleAdd, .subtitleSeek, .subtitleStep, .message, .keyPress, .keyBind, .quit,
            .quitWatchLater:
            throw .unsupported(command.words[0])
        }
    }

    // MARK: Seeking

    private func seek(
        _ target: PlayerCommand.SeekTarget, _ precision: PlayerCommand.SeekPrecision
    ) throws(CommandError) {
        guard let item = player.currentItem, item.status == .readyToPlay else {
            throw .unavailable(.timePosition)
        }
        let range = item.scrubbingRange
        var time: MediaTime
        switch target {
        case .relative(let distance): time = item.seenTime + distance
        case .absolute(let place):
            time = place < .zero ? (range?.end ?? .zero) + place : place
        case .relativePercent(let percent):
            guard let range else { throw .unavailable(.duration) }
            time = item.seenTime + range.duration * (percent / 100)
        case .percent(let percent):
            guard let range else { throw .unavailable(.duration) }
            time = range.start + range.duration * (percent / 100)
        }
        time = max(time, range?.start ?? .zero)
        if let range { time = min(time, range.end) }
        rememberTime()
        if precision == .keyframes {
            item.seek(to: time)
        } else {
            item.seek(to: time, toleranceBefore: .zero, toleranceAfter: .zero)
        }
        feedbackHandler(.progress)
    }

    /// Reports that playback continues at another position, because the server of a live stream no
    /// longer has the position of the pause.
    private func tellReturn() {
        guard player.timeControlStatus != .paused else { return }
        feedbackHandler(.text("Playing from the oldest available position"))
    }

    private func step(by count: Int) {
        player.pause()
        player.currentItem?.step(byCount: count)
        feedbackHandler(.frame)
    }

    // MARK: Properties

    private func present(_ property: PlayerProperty) throws(CommandError) -> PropertyValue {
        guard let value = value(of: property) else { throw .unavailable(property) }
        return value
    }

    private func cycle(
        _ property: PlayerProperty, isForward: Bool, choices: [PropertyValue]?
    ) throws(CommandError) {
        let value = value(of: property)
        try set(
            property,
            to: try PropertyChange.cycling(
                value, of: property, isForward: isForward, choices: choices))
        tell(property)
    }

    /// Reports the value of a property on screen.
    private func tell(_ property: PlayerProperty) {
        let row = property.details
        guard let value = value(of: property) else { return }
        switch (property, value) {
        case (.timePosition, _), (.percentPosition, _): feedbackHandler(.progress)
        case (.pause, _): feedbackHandler(.text(value.isTrue ? "Paused" : "Playing"))
        case (.mute, _): feedbackHandler(.text(value.isTrue ? "Muted" : "Unmuted"))
        case (.outputMonitor, .no) where choices(of: property) == [.no]:
            feedbackHandler(.text("No other monitor"))
        case (.chapter, .number(let index)):
            let chapters = player.currentItem?.chapters ?? []
            let name =
                chapters.indices.contains(Int(index)) ? chapters[Int(index)].title : ""
            feedbackHandler(
                .text("Chapter \(Int(index) + 1) / \(chapters.count)\n\(name)"))
        case (_, .number(let number)) where row.property == .volume:
            feedbackHandler(.level(row.text(value), number / 130))
        case (_, .number(let number)):
            guard row.label != nil else { return }
            guard case .number(let range) = row.form, Self.hasLevel(property) else {
                feedbackHandler(.text(description(of: value, property)))
                return
            }
            feedbackHandler(
                .level(
                    row.text(value),
                    (number - range.lowerBound) / (range.upperBound - range.lowerBound)))
        default:
            guard row.label != nil else { return }
            feedbackHandler(.text(description(of: value, property)))
        }
    }

    /// Returns whether changes of a property are shown as a bar between its bounds.
    private static func hasLevel(_ property: PlayerProperty) -> Bool {
        switch property {
        case .contrast, .brightness, .gamma, .saturation, .hue, .panScan: true
        default: false
        }
    }

    /// Returns the text for a value. For a track number, this is the name of the track.
    private func description(of value: PropertyValue, _ property: PlayerProperty) -> String {
        if case .track = property.details.form, let number = value.number,
            let name = trackName(Int(number), of: property)
        {
            let count = (choices(of: property) ?? []).count(where: { $0.number != nil })
            return "\(property.details.label ?? "") \(Int(number)) / \(count)\n\(name)"
        }
        return property.details.text(value)
    }

    // MARK: Looping

    private func cycleLoop() {
        guard let item = player.currentItem else { return }
        let time = item.seenTime
        switch (repeater.start, repeater.end) {
        case (nil, _):
            repeater.start = time
            feedbackHandler(.text("Loop from \(Self.clock(time))"))
        case (let start?, nil):
            (repeater.start, repeater.end) = (min(start, time), max(start, time))
            feedbackHandler(
                .text(
                    "Loop \(Self.clock(min(start, time))) – \(Self.clock(max(start, time)))"))
        default:
            (repeater.start, repeater.end) = (nil, nil)
            feedbackHandler(.text("Loop off"))
        }
    }

    /// Returns a time in whole seconds, so that a changing text does not flicker.
    package static func clock(_ time: MediaTime) -> String {
        let text = time.clockDescription
        return text.split(separator: ".").first.map(String.init) ?? text
    }
}
