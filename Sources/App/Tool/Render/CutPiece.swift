// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import PlayheadUI

/// An input of `cut`: a file, or a part of it: `film.mp4`, `film.mp4[10-20]`,
/// `film.mp4[0:05-0:07.5]`, `film.mp4[10-]` or `film.mp4[-20]`.
struct CutPiece {
    var file: String
    /// The start of the part; nil for the start of the file.
    var start: MediaTime?
    /// The end of the part; nil for the end of the file.
    var end: MediaTime?

    /// Creates an input from a whole file.
    init(file: String) { self.file = file }

    /// Parses an argument. Brackets that contain no dash are part of the name.
    init(argument: String) throws {
        file = argument
        guard argument.hasSuffix("]"), let open = argument.lastIndex(of: "["),
            open != argument.startIndex
        else { return }
        let part = argument[argument.index(after: open)...].dropLast()
        let times = part.split(separator: "-", omittingEmptySubsequences: false)
        guard times.count == 2 else { return }
        file = String(argument[..<open])
        start = times[0].isEmpty ? nil : try TimeArgument(argument: String(times[0])).time
        end = times[1].isEmpty ? nil : try TimeArgument(argument: String(times[1])).time
        if let start, let end, start >= end {
            throw ValidationError("\(argument): expected an end after the start")
        }
    }
}
