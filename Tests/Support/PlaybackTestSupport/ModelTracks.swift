// SPDX-License-Identifier: Apache-2.0

import PlayheadTime

/// The tracks of an item in the playback model: which are enabled, and what has arrived of each.
struct ModelTracks {
    /// A video track in addition to the first one.
    private struct Further {
        let track: ModelTrack
        /// A Boolean value that indicates whether it has been enabled before.
        var isKnown = false
        var isEnabled = false
        /// A Boolean value that indicates whether it is read and decoded.
        var isJoined = false
    }

    let sounds: [ModelSound]
    /// A Boolean value that indicates whether the first video track is enabled.
    private(set) var isVideoEnabled = true
    private var videos: [Further]
    /// The selected audio track, and the one that has been decoded since the last restart.
    private var audio = 0
    private var decodedAudio = 0
    private var isAudioEnabled = true
    /// The audio tracks that have been enabled in addition to the selected one since it was
    /// selected, and whether they still are.
    private var furtherSounds: [Int: Bool] = [:]
    /// Those of them that are read and decoded.
    private var joinedSounds: Set<Int> = []

    init(_ film: ModelFilm) {
        sounds = film.sounds
        videos = film.further.map { Further(track: $0) }
    }

    // MARK: Switching

    /// Returns whether a track that is enabled was enabled before, so that it plays at once.
    func isKnown(video: Int) -> Bool { video == 0 || videos[video - 1].isKnown }
    func isKnown(sound: Int) -> Bool { sound == audio || furtherSounds[sound] != nil }

    mutating func set(video: Int, isEnabled: Bool) {
        if video == 0 {
            isVideoEnabled = isEnabled
        } else if isEnabled || videos[video - 1].isKnown {
            videos[video - 1].isKnown = true
            videos[video - 1].isEnabled = isEnabled
        }
    }

    mutating func set(sound: Int, isEnabled: Bool) {
        if sound == audio {
            isAudioEnabled = isEnabled
        } else if isEnabled || furtherSounds[sound] != nil {
            furtherSounds[sound] = isEnabled
        }
    }

    /// Makes an audio track the only one that is heard; nil for silence. Returns whether another
    /// track is decoded from now on.
    mutating func select(_ sound: Int?) -> Bool {
        furtherSounds = [:]
        joinedSounds = []
        isAudioEnabled = sound != nil
        guard let sound, sound != audio else { return false }
        audio = sound
        return true
    }

    /// Adds the tracks that have been enabled to those that are read.
    mutating func join() {
        for index in videos.indices where videos[index].isKnown { videos[index].isJoined = true }
        joinedSounds = Set(furtherSounds.keys)
    }

    /// Begins to decode the selected audio track.
    mutating func restart() { decodedAudio = audio }

    // MARK: Queries

    /// A Boolean value that indicates whether the selected audio track is not decoded yet.
    var hasUndecodedSound: Bool { audio != decodedAudio }

    private var playingFurther: [Int] { furtherSounds.filter { $0.value }.keys.sorted() }

    /// The numbers of the enabled video tracks, and of those audio tracks.
    var enabled: (videos: Set<Int>, sounds: Set<Int>) {
        var heard = Set(playingFurther)
        if isAudioEnabled, !sounds.isEmpty { heard.insert(audio) }
        var shown = Set(videos.indices.filter { videos[$0].isEnabled }.map { $0 + 1 })
        if isVideoEnabled { shown.insert(0) }
        return (shown, heard)
    }

    /// Returns the number that an enabled video track in addition to the first one shows, with the
    /// frames that have arrived.
    func number(
        ofVideo video: Int, at time: MediaTime, before end: MediaTime, arrived: MediaTime
    ) -> Int? {
        let further = videos[video - 1]
        guard further.isEnabled, further.isJoined else { return nil }
        let track = further.track
        let frames = Array(0..<track.count(before: arrived))
        return track.frame(at: time, among: frames, before: end).map { track.firstNumber + $0 }
    }

    /// The first video track in addition to the first one that plays and is enabled.
    var firstFurther: Int? {
        videos.firstIndex { $0.isEnabled && $0.isJoined }.map { $0 + 1 }
    }

    /// The audio tracks that are heard.
    var heard: [Int] {
        let selected = isAudioEnabled && !sounds.isEmpty ? [decodedAudio] : []
        return selected + playingFurther.filter(joinedSounds.contains)
    }

    /// The ends of the tracks that play in addition to the first video track.
    var ends: [MediaTime] {
        let selected = sounds.isEmpty ? [] : [sounds[decodedAudio].end]
        return selected + playingFurther.map { sounds[$0].end }
            + videos.filter(\.isEnabled).map(\.track.end)
    }

    // MARK: The network

    /// Returns the end of the audio of the tracks that play, of that which has arrived.
    func soundEnd(arrived: MediaTime) -> MediaTime {
        guard !sounds.isEmpty else { return .positiveInfinity }
        let playing = [decodedAudio] + playingFurther
        return playing.map { sounds[$0].end(before: arrived) }.reduce(.positiveInfinity, min)
    }

    /// Returns the time at which the first of the tracks that play has no more media.
    func dryTime(arrived: MediaTime) -> MediaTime {
        let videos = videos.filter { $0.isEnabled && $0.isJoined }.map(\.track)
        return videos.map { $0.times[$0.count(before: arrived)...].first ?? $0.end }
            .reduce(soundEnd(arrived: arrived), min)
    }

    /// Returns whether every enabled video track has the frame at which a seek lands.
    func haveFrames(at time: MediaTime, arrived: MediaTime) -> Bool {
        videos.filter(\.isEnabled).allSatisfy { further in
            let track = further.track
            let frames = 0..<track.count(before: arrived)
            return further.isJoined
                && frames.contains { track.end(of: $0) > time + ModelTrack.tolerance }
        }
    }

    /// Returns whether enough has arrived to start at a time: the next frame of every video track
    /// that is shown, and audio of a duration.
    func canStart(at time: MediaTime, sound duration: MediaTime, arrived: MediaTime) -> Bool {
        let videosCan = videos.filter(\.isEnabled).allSatisfy { further in
            let track = further.track
            let frames = Array(0..<track.count(before: arrived))
            let seen = track.frame(at: time, among: frames) ?? Int.max - 1
            return further.isJoined && seen + 1 < frames.count
        }
        guard videosCan, !sounds.isEmpty else { return videosCan }
        return ([decodedAudio] + furtherSounds.keys).allSatisfy {
            sounds[$0].end(before: arrived) - time >= duration
        }
    }
}
