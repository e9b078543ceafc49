// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import PlayheadEditing

/// The options for inputs that are timelines.
struct TimelineInputOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Folder from which timelines may open media, and in which missing media is searched "
                + "for by name. Repeatable.",
            valueName: "folder"),
        completion: .directory)
    var mediaFolder: [String] = []

    @Option(
        help: ArgumentHelp(
            "Frame rate of an edit decision list (.edl), such as 25 or 29.97; 24 by default.",
            valueName: "rate"))
    var edlRate: Double?

    func validate() throws {
        if let edlRate, TimelineOptions.frameDuration(rate: edlRate) == nil {
            throw ValidationError("--edl-rate: expected a frame rate, found \(edlRate)")
        }
    }

    var options: TimelineOptions {
        var options = TimelineOptions(mediaFolders: mediaFolder)
        if let edlRate, let duration = TimelineOptions.frameDuration(rate: edlRate) {
            options.editListFrameDuration = duration
        }
        return options
    }
}
