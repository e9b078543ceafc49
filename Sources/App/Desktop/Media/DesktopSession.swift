// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Glibc
import PlayheadAssets
import PlayheadBus
package import PlayheadCommands
import PlayheadPlayback
import PlayheadTime

/// The integration of a player with the desktop: media keys and panels (MPRIS), and keeping the
/// screen on during playback.
///
///     let session = DesktopSession(controller: window.controller)
///     // and with each turn of the main loop:
///     session?.update()
///
/// - Concurrency: the main thread. Requests from the bus are performed there too.
/// - Ownership: retains the controller until `close()`.
/// - Corresponds to: `MPNowPlayingSession`.
@MainActor package final class DesktopSession {
    private let controller: PlayerController
    private let bus: SessionBus
    private let inhibitor: IdleInhibitor
    private var remote: MediaRemote?
    /// The current item, and the token of the observer of its time jumps.
    private var followed: (item: PlayerItem?, jumps: ObservationToken?) = (nil, nil)
    private var trackCount = 0
    /// The path of the cover art file that was written for other programs.
    private var artwork: String?
    private var isClosed = false

    /// The MIME types that the program opens.
    package nonisolated static var mimeTypes: [String] { MediaStatus.mimeTypes }

    /// Connects to the session bus. Returns nil if the bus is not available.
    package convenience init?(controller: PlayerController) {
        self.init(controller: controller, address: nil)
    }

    /// Connects to a bus. Returns nil if the bus is not available.
    ///
    /// - Parameter address: the address of a bus; nil for the session bus.
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

    /// Reports changes of the player to the desktop.
    package func update() {
        guard !isClosed, let remote else { return }
        let player = controller.player
        let item = player.currentItem
        if item !== followed.item || followed.jumps == nil { follow(item) }
        let isPlaying = player.timeControlStatus != .paused && item?.hasPlayedToEnd != true
        // Audio without video does not keep the screen on.
        let isSeen = item?.error == nil && item?.playingTracks.video != nil
        inhibitor.set(isPlaying && isSeen)
        remote.update(status(of: item), timebase: item?.timebase)
    }

    /// Ends the session. Blocks until the bus has been informed.
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

    // MARK: Status

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

    /// The metadata of the item. It does not change once the item is ready.
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

    /// Writes the cover art to a file for other programs, and returns the URL of the file.
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

    /// The maximum size of cover art, in bytes.
    private static let maximumArtwork = 32 << 20

    private func removeArtwork() {
        if let artwork { unlink(artwork) }
        artwork = nil
    }

    // MARK: Requests

    private func perform(_ request: MediaRequest) {
        guard !isClosed else { return }
        // MPRIS has no reply for a request that fails.
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
            // MPRIS: a position is ignored if it belongs to another track or lies outside of this
            // one.
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
