// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Glibc
import PlayheadAssets
package import PlayheadCommands
import PlayheadPlayback
import PlayheadTime

/// A player in the user's desktop: its media keys and panels (MPRIS), and a screen that stays on while
/// a film plays.
///
///     let session = DesktopSession(controller: window.controller)
///     // and whenever the program looks around:
///     session?.update()
///
/// Where there is no session bus, there is no session.
///
/// - Concurrency: the main thread. What the bus asks for is done there too.
/// - Ownership: keeps the controller until `close()`.
/// - Corresponds to: `MPNowPlayingSession`.
@MainActor package final class DesktopSession {
    private let controller: PlayerController
    private let bus: SessionBus
    private let inhibitor: IdleInhibitor
    private var remote: MediaRemote?
    /// What is shown, and what tells of its jumps.
    private var followed: (item: PlayerItem?, jumps: ObservationToken?) = (nil, nil)
    private var trackCount = 0
    /// A cover that has been written out, for others to read.
    private var artwork: String?
    private var isClosed = false

    /// Types of files that a desktop may open with the program.
    package nonisolated static var mimeTypes: [String] { MediaStatus.mimeTypes }

    /// Connects to the desktop; nil where there is none.
    package convenience init?(controller: PlayerController) {
        self.init(controller: controller, address: nil)
    }

    /// - Parameter address: of a bus other than the session's.
    init?(controller: PlayerController, address: String?) {
        guard let bus = SessionBus(address: address) else { return nil }
        self.controller = controller
        self.bus = bus
        inhibitor = IdleInhibitor(bus)
        remote = MediaRemote(bus) { [weak self] request in
            Task { @MainActor in self?.perform(request) }
        }
        update()
    }

    /// Looks at what has become of the player, and tells the desktop what is new.
    package func update() {
        guard !isClosed, let remote else { return }
        let player = controller.player
        let item = player.currentItem
        if item !== followed.item || followed.jumps == nil { follow(item) }
        let isPlaying = player.timeControlStatus != .paused && item?.hasPlayedToEnd != true
        // Who listens to music need not look at it.
        let isSeen = item?.error == nil && item?.playingTracks.video != nil
        inhibitor.set(isPlaying && isSeen)
        remote.update(status(of: item), timebase: item?.timebase)
    }

    /// Ends everything on the bus. Waits until that is sent.
    package func close() {
        guard !isClosed else { return }
        isClosed = true
        inhibitor.set(false)
        followed.jumps?.cancel()
        remote = nil
        bus.close()
        removeArtwork()
    }

    private func follow(_ item: PlayerItem?) {
        removeArtwork()
        facts = nil
        trackCount += 1
        let jumps = item?.observeEvents(on: .main) { [weak self] event in
            guard case .timeJumped = event else { return }
            MainActor.assumeIsolated { self?.remote?.seeked() }
        }
        followed = (item, jumps)
    }

    // MARK: What the desktop sees

    private func status(of item: PlayerItem?) -> MediaStatus {
        let player = controller.player
        var status = MediaStatus()
        status.playback =
            item == nil || item?.error != nil
            ? .stopped : player.timeControlStatus == .paused ? .paused : .playing
        if controller.value(of: .loopFile) == .text("inf") {
            status.loop = .track
        } else if controller.value(of: .loopPlaylist) == .text("inf") {
            status.loop = .playlist
        }
        status.canLoopPlaylist = controller.playlist?.canBeRepeated == true
        status.rate = player.defaultRate
        status.volume = player.isMuted ? 0 : Double(player.volume)
        if let flag = controller.value(of: .fullscreen) {
            status.hasWindow = true
            status.isFullscreen = flag.isTrue
        }
        status.canPlay = item != nil || controller.playlist?.files.isEmpty == false
        status.canSeek = item?.seekableTimeRanges.isEmpty == false
        if let playlist = controller.playlist, let position = playlist.position {
            let goesRound = playlist.isRepeated && playlist.files.count > 1
            status.canGoNext = goesRound || position + 1 < playlist.files.count
            status.canGoPrevious = goesRound || position > 0
        }
        if let item { status.metadata = metadata(of: item) }
        return status
    }

    /// What an item says of itself, which does not change once it is ready.
    private var facts: [String: BusValue]?

    private func metadata(of item: PlayerItem) -> [String: BusValue] {
        if let facts { return facts }
        var metadata: [String: BusValue] = [
            "mpris:trackid": .path(track),
            "xesam:title": .text(PlayerController.title(of: item)),
        ]
        let subject = item.asset.subject
        metadata["xesam:url"] = .text(
            subject.contains("://") ? subject : URL(filePath: subject).absoluteString)
        guard let description = item.assetDescription else { return metadata }
        if description.duration.isNumeric {
            metadata["mpris:length"] = .int64(
                description.duration.converted(toTimescale: 1_000_000).value)
        }
        func text(_ key: MetadataCommonKey) -> String? {
            description.metadata.filtered(by: key).first?.stringValue
        }
        if let artist = text(.artist) { metadata["xesam:artist"] = .texts([artist]) }
        if let album = text(.albumName) { metadata["xesam:album"] = .text(album) }
        if let art = writeArtwork(description.metadata) { metadata["mpris:artUrl"] = .text(art) }
        facts = metadata
        return metadata
    }

    private var track: String { "/org/playhead/track/\(trackCount)" }

    /// Writes a film's cover where others may read it; gives its address.
    private func writeArtwork(_ metadata: [MetadataItem]) -> String? {
        guard case .data(let bytes, let type)? = metadata.filtered(by: .artwork).first?.value,
            bytes.count <= Self.maximumArtwork,
            let folder = getenv("XDG_RUNTIME_DIR").map({ String(cString: $0) }) ?? nil
        else { return nil }
        let ending = type.hasSuffix("png") ? "png" : "jpg"
        let path = "\(folder)/playhead-\(getpid())-\(trackCount).\(ending)"
        do {
            try Data(bytes).write(to: URL(filePath: path))
        } catch {
            return nil
        }
        artwork = path
        return URL(filePath: path).absoluteString
    }

    /// Covers are a few megabytes at most.
    private static let maximumArtwork = 32 << 20

    private func removeArtwork() {
        if let artwork { unlink(artwork) }
        artwork = nil
    }

    // MARK: What it asks for

    private func perform(_ request: MediaRequest) {
        guard !isClosed else { return }
        // What cannot be done now is left undone: the bus has no place for more to be said.
        do throws(CommandError) {
            for command in commands(for: request) {
                try controller.perform(command, isSilent: true)
            }
        } catch {}
        update()
    }

    private func commands(for request: MediaRequest) -> [PlayerCommand] {
        guard case .setLoop(let status) = request else { return [command(for: request)] }
        func loop(_ property: PlayerProperty, _ isLooping: Bool) -> PlayerCommand {
            .set(property, .text(isLooping ? "inf" : "no"))
        }
        let film = loop(.loopFile, status == .track)
        guard controller.playlist?.canBeRepeated == true else { return [film] }
        return [loop(.loopPlaylist, status == .playlist), film]
    }

    private func command(for request: MediaRequest) -> PlayerCommand {
        func time(_ microseconds: Int64) -> MediaTime {
            MediaTime(value: microseconds, timescale: 1_000_000)
        }
        switch request {
        case .play: return .set(.pause, .flag(false))
        case .pause: return .set(.pause, .flag(true))
        case .playPause: return .cycle(.pause)
        case .stop: return .stop
        case .next: return .playlistNext
        case .previous: return .playlistPrevious
        case .quit: return .quit()
        case .seek(let offset): return .seek(.relative(time(offset)), precision: .exact)
        case .setPosition(let position, let track):
            // A position that was meant for another film, or lies outside of it, is none.
            let end = controller.player.currentItem?.end ?? .indefinite
            let isMeant =
                track == self.track && position >= 0
                && !(end.isNumeric && time(position) > end)
            return isMeant ? .seek(.absolute(time(position)), precision: .exact) : .ignore
        case .open(let address):
            let path = URL(string: address).flatMap { $0.isFileURL ? $0.path : nil }
            return .loadFile(path ?? address, .replace)
        case .setRate(let rate): return .set(.speed, .number(rate))
        case .setVolume(let volume): return .set(.volume, .number(volume * 100))
        case .setLoop: return .ignore
        case .setFullscreen(let isFullscreen): return .set(.fullscreen, .flag(isFullscreen))
        }
    }
}
