// SPDX-License-Identifier: Apache-2.0

import PlayheadTime

/// The tracks of an item.
extension PlaybackModel {
    mutating func set(video: Int, isEnabled: Bool) {
        tracks.set(video: video, isEnabled: isEnabled)
        settle()
    }

    mutating func set(sound: Int, isEnabled: Bool) {
        tracks.set(sound: sound, isEnabled: isEnabled)
        device.disturb(blocks: 2)
        settle()
    }

    /// Plays an audio track alone; nil for silence. Another track continues at the playhead.
    mutating func select(sound: Int?) {
        device.disturb(blocks: 3)
        if tracks.select(sound) { switchSound() }
        settle()
    }

    /// Continues with the selected audio track at the playhead, unless playback is at its end.
    mutating func switchSound() {
        guard !hasPlayedToEnd else { return }
        let (place, pending) = (time, pending)
        if isReverse {
            recordDrawnAhead()
            if isRunning { stop(at: place) }
            return turn(to: -1, at: place)
        }
        let held = held
        restart(at: place)
        if let pending {
            (self.pending, self.held) = (pending, held)
        } else if !isRunning {
            self.pending = Seek(
                number: nil, origin: nil, landing: place,
                needed: neededFrame(target: place, landing: place))
        }
    }

    /// Returns the number that an output of a video track shows; nil for an output of any track. It
    /// is not known during a seek.
    func number(ofVideo video: Int?) -> Int? {
        let time = time
        if video ?? 0 == 0, tracks.isVideoEnabled {
            guard let visible = picture(at: time)?.frame else { return nil }
            return film.video.firstNumber + (seenFrame(at: time, by: nil) ?? visible)
        }
        guard video != 0, let further = video ?? tracks.firstFurther else { return nil }
        return tracks.number(ofVideo: further, at: time, before: visibleEnd, arrived: arrived)
    }
}
