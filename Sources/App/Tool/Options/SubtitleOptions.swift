// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Foundation
import PlayheadUI

/// The options that say which subtitles are shown, and how.
struct SubtitleOptions: ParsableArguments {
    @Option(
        name: .customLong("sub"),
        help: ArgumentHelp(
            "A file of subtitles to show, of VobSub the index; may be given several times.",
            discussion: "Files of the film's name beside it are found by themselves when it plays.",
            valueName: "file"), completion: .file())
    var files: [String] = []

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "Subtitle track, counted from 0: first the film's own, then those in files.",
            discussion: "-1 for none."))
    var subtitleTrack: Int?

    @Option(
        parsing: .unconditional,
        help: "Show subtitles this many seconds later; negative for earlier.")
    var subDelay: Double = 0

    @Option(help: "Size of the letters of subtitles, 1 being the file's own.")
    var subScale: Double = 1

    @Option(
        help: ArgumentHelp(
            "Encoding of subtitle files, such as windows-1251; guessed without it.",
            valueName: "name"))
    var subEncoding: String?

    func validate() throws {
        if let subtitleTrack, subtitleTrack < -1 {
            throw ValidationError("--subtitle-track \(subtitleTrack): tracks count from 0")
        }
        guard (0.1...10).contains(subScale) else {
            throw ValidationError("--sub-scale \(subScale): write 0.1 to 10")
        }
        guard abs(subDelay) <= 86_400 else {
            throw ValidationError("--sub-delay \(subDelay): write seconds")
        }
    }

    var delay: MediaTime { MediaTime(seconds: subDelay, preferredTimescale: 1_000_000) }

    // MARK: Of items that play

    /// Tells what is wrong with files that were named, whichever of them is chosen later.
    @MainActor func checkFiles(_ problems: ProblemLog) {
        guard subtitleTrack != -1 else { return }
        for file in files {
            do throws(MediaError) {
                let demuxer = try asset(file).openDemuxer(cancellation: Cancellation())
                // A film may have to be read far to its first.
                let ending = (file as NSString).pathExtension.lowercased()
                guard SubtitleFile.extensions.contains(ending) else { continue }
                demuxer.selectTracks(Set(demuxer.description.tracks.map(\.id)))
                if try demuxer.readPacket() == nil {
                    problems.remark("\(file): there are no subtitles in it")
                }
            } catch {
                problems.note(error)
            }
        }
    }

    /// Gives an item the files of subtitles that go with it.
    func addFiles(to item: PlayerItem, of film: String) {
        for file in files { add(file, to: item) }
        addFilesBeside(film, to: item)
    }

    /// Gives an item the files of subtitles of its film's name.
    func addFilesBeside(_ film: String, to item: PlayerItem) {
        guard case .file(let path) = AssetLocation(film) else { return }
        for file in SubtitleFile.paths(beside: path) where !files.contains(file) {
            add(file, to: item)
        }
    }

    private func add(_ file: String, to item: PlayerItem) {
        for track in tracks(file) {
            item.addSubtitles(track.asset, name: track.name, language: track.language)
        }
    }

    /// Chooses the subtitles of an item that is ready: those that were asked for, else what lies beside
    /// the film, else what the user's languages say.
    ///
    /// - Returns: what cannot be done.
    func choose(of item: PlayerItem, _ film: String) -> String? {
        let group = item.mediaSelectionGroup(for: .legible)
        let options = group?.options ?? []
        if let subtitleTrack, subtitleTrack >= 0, !options.indices.contains(subtitleTrack) {
            return "\(film): there is no --subtitle-track \(subtitleTrack), it has "
                + "\(options.count), counted from 0; playing without subtitles"
        }
        guard let group, subtitleTrack != -1 else { return nil }
        item.select(subtitleTrack.map { options[$0] } ?? automatic(group, item), in: group)
        return nil
    }

    private func automatic(
        _ group: MediaSelectionGroup, _ item: PlayerItem
    ) -> MediaSelectionOption? {
        let ofFiles = group.options.filter { $0.id < 0 }
        if !files.isEmpty { return ofFiles.first }
        let languages = LanguageTag.preferred
        let wished = group.options(in: languages).first { $0.id < 0 }
        // The film's very name says more than one with a language that nobody asked for.
        let plain = ofFiles.first { $0.language == nil }
        if let option = wished ?? plain ?? ofFiles.first { return option }
        let sound = item.mediaSelectionGroup(for: .audible).flatMap {
            item.selectedMediaOption(in: $0)
        }
        return group.automaticOption(for: languages, sound: sound)
    }

    /// Has an overlay show them as was asked for.
    func apply(to overlay: SubtitleOverlay) {
        overlay.delay = delay
        overlay.fontScale = subScale
    }

    // MARK: Of stills

    /// What draws the subtitles that were asked for into pictures of a film; nil for none.
    func stills(of film: String) throws -> SubtitleStills? {
        let stills: SubtitleStills
        if let index = subtitleTrack, index >= 0 {
            guard InputFile.opensAgain(film) else {
                throw ToolError(
                    .wrongUsage,
                    "\(film): its subtitles are read besides its pictures, and nothing comes twice from "
                        + "there; save it to a file")
            }
            let whole = InputFile.asset(film)
            let tracks =
                try AssetReader(asset: whole).description
                .mediaSelectionGroup(for: .legible)?.options ?? []
            if tracks.indices.contains(index) {
                stills = try SubtitleStills(asset: whole, trackID: tracks[index].id)
            } else {
                let ofFiles = files.flatMap { self.tracks($0) }
                guard ofFiles.indices.contains(index - tracks.count) else {
                    throw ToolError(
                        .wrongUsage,
                        "\(film): there is no --subtitle-track \(index), it has "
                            + "\(tracks.count + ofFiles.count), counted from 0")
                }
                stills = try SubtitleStills(asset: ofFiles[index - tracks.count].asset)
            }
        } else if let track = files.first.flatMap({ tracks($0).first }), subtitleTrack != -1 {
            stills = try SubtitleStills(asset: track.asset)
        } else {
            return nil
        }
        stills.delay = delay
        stills.fontScale = subScale
        return stills
    }

    private func asset(_ file: String) -> URLAsset {
        SubtitleFile.asset(file, encoding: subEncoding)
    }

    private func tracks(_ file: String) -> [SubtitleFile.Track] {
        SubtitleFile.tracks(file, encoding: subEncoding)
    }
}
