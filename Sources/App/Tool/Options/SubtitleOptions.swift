// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Foundation
import PlayheadUI

/// The subtitle options.
struct SubtitleOptions: ParsableArguments {
    @Option(
        name: .customLong("sub"),
        help: ArgumentHelp(
            "Subtitle file to show; for VobSub, the .idx file. Repeatable.",
            discussion:
                "During playback, subtitle files in the video's folder that have its name are "
                + "loaded automatically.",
            valueName: "file"), completion: .file())
    var files: [String] = []

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "Subtitle track, counted from 0: first those in the file, then those of --sub.",
            discussion: "-1 shows none."))
    var subtitleTrack: Int?

    @Option(
        parsing: .unconditional,
        help: "Delay subtitles by this many seconds; negative shows them earlier.")
    var subDelay: Double = 0

    @Option(help: "Scale of subtitles; 1 is the size that the file sets.")
    var subScale: Double = 1

    @Option(
        help: ArgumentHelp(
            "Encoding of subtitle files, such as windows-1251; detected by default.",
            valueName: "name"))
    var subEncoding: String?

    func validate() throws {
        if let subtitleTrack, subtitleTrack < -1 {
            throw ValidationError(
                "--subtitle-track \(subtitleTrack): expected a track number of at least 0, or -1 "
                    + "for no subtitles")
        }
        guard (0.1...10).contains(subScale) else {
            throw ValidationError("--sub-scale \(subScale): expected 0.1 to 10")
        }
        guard abs(subDelay) <= 86_400 else {
            throw ValidationError("--sub-delay \(subDelay): expected seconds, from -86400 to 86400")
        }
    }

    var delay: MediaTime { MediaTime(seconds: subDelay, preferredTimescale: 1_000_000) }

    // MARK: Of items that play

    /// Reports errors in the files of `--sub`, even in files that are not selected later.
    @MainActor func checkFiles(_ problems: ProblemLog) {
        guard subtitleTrack != -1 else { return }
        for file in files {
            do throws(MediaError) {
                let demuxer = try asset(file).openDemuxer(cancellation: Cancellation())
                // In a media file, the first subtitle may be far from the beginning.
                let ending = (file as NSString).pathExtension.lowercased()
                guard SubtitleFile.extensions.contains(ending) else { continue }
                demuxer.selectTracks(Set(demuxer.description.tracks.map(\.id)))
                if try demuxer.readPacket() == nil {
                    let name = InputFile.name(file)
                    problems.remark("\(name): the file contains no subtitles; name another file")
                }
            } catch {
                problems.note(error)
            }
        }
    }

    /// Adds the files of `--sub`, and the subtitle files beside the media file, to an item.
    func addFiles(to item: PlayerItem, of film: String) {
        for file in files { add(file, to: item) }
        addFilesBeside(film, to: item)
    }

    /// Adds the subtitle files that are beside the media file to an item.
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

    /// Selects subtitles for an item that is ready. The first of these that exists is selected: the
    /// subtitles that the options name, those in a file beside the media, and those in the user's
    /// languages.
    ///
    /// - Returns: a message if the selection fails, otherwise nil.
    func choose(of item: PlayerItem, _ film: String) -> String? {
        let group = item.mediaSelectionGroup(for: .legible)
        let options = group?.options ?? []
        if let subtitleTrack, subtitleTrack >= 0, !options.indices.contains(subtitleTrack) {
            return
                "\(InputFile.name(film)): there is no subtitle track \(subtitleTrack); there are "
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
        // A file with exactly the name of the media takes precedence over one whose name adds a
        // language.
        let plain = ofFiles.first { $0.language == nil }
        if let option = wished ?? plain ?? ofFiles.first { return option }
        let sound = item.mediaSelectionGroup(for: .audible).flatMap {
            item.selectedMediaOption(in: $0)
        }
        return group.automaticOption(for: languages, sound: sound)
    }

    /// Applies the delay and the scale to an overlay.
    func apply(to overlay: SubtitleOverlay) {
        overlay.delay = delay
        overlay.fontScale = subScale
    }

    // MARK: Of stills

    /// Returns a source of subtitle images for stills; nil if no subtitles are selected.
    func stills(of film: String) throws -> SubtitleStills? {
        let frameRate = {
            InputFile.opensAgain(film)
                ? try AssetReader(asset: InputFile.asset(film)).description.frameRate : 0
        }
        let stills: SubtitleStills
        if let index = subtitleTrack, index >= 0 {
            guard InputFile.opensAgain(film) else {
                throw ToolError(
                    .wrongUsage,
                    "\(InputFile.name(film)): subtitles need a second pass over the input, and a "
                        + "pipe or a stream can be read only once; save the input to a file")
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
                        "\(InputFile.name(film)): there is no subtitle track \(index); there are "
                            + "\(tracks.count + ofFiles.count), counted from 0")
                }
                stills = try SubtitleStills(
                    asset: ofFiles[index - tracks.count].asset, frameRate: frameRate)
            }
        } else if let track = files.first.flatMap({ tracks($0).first }), subtitleTrack != -1 {
            stills = try SubtitleStills(asset: track.asset, frameRate: frameRate)
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
