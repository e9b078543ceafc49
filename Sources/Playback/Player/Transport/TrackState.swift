// SPDX-License-Identifier: Apache-2.0

import PlayheadAssets
import PlayheadTime

/// The phase in the life of an item.
enum ItemPhase: Sendable {
    case idle, opening
    case ready(AssetDescription)
    case failed(MediaError)
    /// The item is closed. The values are the description that was known at that time, and the
    /// error if a player received the item again after that.
    case closed(AssetDescription?, MediaError?)
}

/// The tracks of an item, and the time up to which each has been decoded in this generation.
///
/// - Concurrency: a value.
struct TrackState: Sendable {
    private(set) var phase = ItemPhase.idle
    private(set) var video: AssetTrack?
    private(set) var audio: AssetTrack?
    /// The identifier of the audio track that this generation reads.
    private var readAudio: Int?
    /// The identifier of the audio track that was last requested; nil before the first request.
    private(set) var chosenAudio: Int?
    /// The identifiers of the audio tracks that have decoders.
    private(set) var choosableAudio: Set<Int> = []
    /// The audio tracks that play in addition to `audio`, in order.
    private(set) var further: [FurtherTrack] = []
    /// The video tracks that play in addition to `video`, in order.
    private(set) var furtherVideo: [FurtherTrack] = []
    /// The maximum number of tracks in `furtherVideo`. Each of them has a thread, and a decoder
    /// that needs some memory.
    static let furtherVideoLimit = 32
    /// The identifiers of the additional tracks, audio and video, that the item begins with.
    private(set) var furtherChoice: Set<Int> = []
    /// Boolean values that indicate whether `video` and `audio` are disabled.
    private(set) var isVideoDisabled = false
    private(set) var isAudioDisabled = false
    /// The keyframes of the video track.
    private(set) var keyframes = KeyframeIndex()
    /// The end of the last sample of each track, once the track's decoder has reached that sample.
    private(set) var videoEnd: MediaTime?
    private(set) var audioEnd: MediaTime?
    /// The end of the video track according to its packets, once all of them have been read.
    private(set) var expectedVideoEnd: MediaTime?
    /// A Boolean value that indicates whether the video decoder has shown a frame of this
    /// generation.
    private(set) var hasVideo = false
    /// The generation of the audio that waits to be heard. Audio of an earlier generation is about
    /// to be discarded.
    private(set) var audioGeneration = 0
    /// The error that ended reading before the end of the asset in this generation.
    private(set) var readingError: MediaError?

    /// The description of the asset. It is kept after the item has ended.
    var description: AssetDescription? {
        switch phase {
        case .ready(let description): description
        case .closed(let description, _): description
        case .idle, .opening, .failed: nil
        }
    }

    /// A Boolean value that indicates whether the item can still be used.
    var isAlive: Bool {
        switch phase {
        case .closed, .failed: false
        case .idle, .opening, .ready: true
        }
    }

    var isReady: Bool { if case .ready = phase { true } else { false } }

    /// The tracks that are read.
    var playing: Set<Int> {
        Set([video?.id, audio?.id].compactMap { $0 } + (further + furtherVideo).map(\.track.id))
    }

    /// The tracks that are shown and heard.
    var enabled: Set<Int> {
        var tracks: Set<Int> = []
        if let video, !isVideoDisabled { tracks.insert(video.id) }
        if let audio, !isAudioDisabled { tracks.insert(audio.id) }
        for track in further + furtherVideo where track.isEnabled { tracks.insert(track.track.id) }
        return tracks
    }

    /// The end of the item, once every track has been decoded to its end.
    var naturalEnd: MediaTime? { naturalEnd(videoEnd: videoEnd) }

    /// Returns the end of the item if the video has the given end.
    func naturalEnd(videoEnd: MediaTime?) -> MediaTime? {
        var end = MediaTime.invalid
        if video != nil {
            guard let videoEnd else { return nil }
            if videoEnd.isNumeric { end = videoEnd }
        }
        if audio != nil {
            guard let audioEnd else { return nil }
            if audioEnd.isNumeric { end = end.isNumeric ? max(end, audioEnd) : audioEnd }
        }
        for track in further + furtherVideo where track.isEnabled {
            guard let trackEnd = track.end else { return nil }
            if trackEnd.isNumeric { end = end.isNumeric ? max(end, trackEnd) : trackEnd }
        }
        if !end.isNumeric, case .ready(let description) = phase { end = description.end }
        return end.isNumeric ? end : nil
    }

    mutating func set(_ phase: ItemPhase) { self.phase = phase }

    mutating func open(
        _ description: AssetDescription, video: AssetTrack?, audio: AssetTrack?,
        choosableAudio: Set<Int>
    ) {
        phase = .ready(description)
        self.video = video
        self.audio = audio
        readAudio = audio?.id
        self.choosableAudio = choosableAudio
    }

    /// Discards the record of what was decoded, for a new generation.
    ///
    /// - Parameter readsAgain: A Boolean value that indicates whether packets are read again.
    mutating func restart(readsAgain: Bool) {
        hasVideo = false
        videoEnd = nil
        audioEnd = nil
        for index in further.indices { further[index].end = nil }
        for index in furtherVideo.indices { furtherVideo[index].end = nil }
        if readsAgain {
            expectedVideoEnd = nil
            readAudio = audio?.id
        }
    }

    /// A Boolean value that indicates whether `audio` was selected at the end of playback, and is
    /// read from the next generation on.
    var hasUnreadAudio: Bool { audio?.id != readAudio }

    mutating func forgetReadingError() { readingError = nil }
    mutating func setReadingError(_ error: MediaError) { readingError = error }
    mutating func setHasVideo() { hasVideo = true }
    mutating func setVideoEnd(_ time: MediaTime) { videoEnd = time }

    mutating func setAudioEnd(_ time: MediaTime) { audioEnd = Self.heardEnd(time, of: audio) }

    mutating func setFurtherEnd(_ time: MediaTime, track: Int) {
        guard let index = further.firstIndex(where: { $0.track.id == track }) else { return }
        further[index].end = Self.heardEnd(time, of: further[index].track)
    }

    /// Returns the end of the audio that was decoded up to `time`. Samples beyond the track's edit
    /// list are padding in the last packet, and are not heard.
    private static func heardEnd(_ time: MediaTime, of track: AssetTrack?) -> MediaTime {
        let edit = track?.segments.last?.timeMapping.target.end ?? .invalid
        // The edit list is rounded to its unit of time.
        let isPadded =
            edit.isNumeric && time.isNumeric
            && time - edit > MediaTime(value: 1, timescale: edit.timescale)
        return isPadded ? edit : time
    }

    /// Ends all tracks at the time at which reading failed.
    mutating func end(at time: MediaTime) {
        if video != nil { videoEnd = time }
        if audio != nil { audioEnd = time }
        for index in further.indices { further[index].end = time }
        for index in furtherVideo.indices { furtherVideo[index].end = time }
    }

    mutating func setExpectedEnds(_ ends: [Int: MediaTime]) {
        if let video { expectedVideoEnd = ends[video.id] }
    }

    mutating func setAudioGeneration(_ generation: Int) { audioGeneration = generation }
    mutating func setKeyframes(_ index: KeyframeIndex) { keyframes = index }
    mutating func setVideoDisabled(_ isDisabled: Bool) { isVideoDisabled = isDisabled }
    mutating func setAudioDisabled(_ isDisabled: Bool) { isAudioDisabled = isDisabled }
    mutating func chooseAudio(_ identifier: Int?) { chosenAudio = identifier }
    mutating func playAudio(_ track: AssetTrack) { audio = track }

    /// Enables or disables an audio track that plays in addition to the selected one. A track that
    /// has been played keeps its position in the order.
    mutating func setFurther(_ track: AssetTrack, isEnabled: Bool) {
        if let index = further.firstIndex(where: { $0.track.id == track.id }) {
            further[index].isEnabled = isEnabled
        } else if isEnabled {
            let index = further.firstIndex { $0.track.id > track.id } ?? further.endIndex
            further.insert(FurtherTrack(track: track, isEnabled: true), at: index)
        }
    }

    /// Enables or disables a video track other than the first one. Returns false if the track
    /// cannot play.
    mutating func setFurtherVideo(_ track: AssetTrack, isEnabled: Bool) -> Bool {
        if let index = furtherVideo.firstIndex(where: { $0.track.id == track.id }) {
            furtherVideo[index].isEnabled = isEnabled
            return true
        }
        let isKnown = description?.tracks.contains { $0.id == track.id } ?? false
        guard isEnabled, isKnown, !track.isAttachedPicture, video != nil,
            furtherVideo.count < Self.furtherVideoLimit
        else { return false }
        let index = furtherVideo.firstIndex { $0.track.id > track.id } ?? furtherVideo.endIndex
        furtherVideo.insert(FurtherTrack(track: track, isEnabled: true), at: index)
        return true
    }

    mutating func setFurtherVideoEnd(_ time: MediaTime, track: Int) {
        guard let index = furtherVideo.firstIndex(where: { $0.track.id == track }) else { return }
        furtherVideo[index].end = time
    }

    mutating func removeFurtherVideo(track: Int) {
        furtherVideo.removeAll { $0.track.id == track }
    }

    mutating func removeFurther(track: Int) { further.removeAll { $0.track.id == track } }
    mutating func removeAllFurther() { further = [] }
    mutating func chooseFurther(_ identifiers: Set<Int>) { furtherChoice = identifiers }
}

/// A track that plays in addition to the selected audio track or the first video track.
struct FurtherTrack: Sendable {
    let track: AssetTrack
    var isEnabled: Bool
    /// The end of the last sample of the track, once the track's decoder has reached that sample.
    var end: MediaTime?
}
