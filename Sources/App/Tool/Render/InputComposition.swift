// SPDX-License-Identifier: Apache-2.0

import Foundation
import PlayheadEditing
import PlayheadUI

/// Combines several inputs into one.
enum InputComposition {
    /// Returns a composition in which the parts follow each other.
    static func make(_ pieces: [CutPiece]) throws -> Composition {
        let composition = MutableComposition()
        var assets: [String: (asset: Asset, description: AssetDescription)] = [:]
        for piece in pieces {
            let (asset, description): (Asset, AssetDescription)
            if let known = assets[piece.file] {
                (asset, description) = known
            } else {
                asset = try open(piece.file)
                description = try AssetReader(asset: asset).description
                assets[piece.file] = (asset, description)
            }
            let start = piece.start ?? description.startTime
            let end = piece.end ?? description.end
            guard end.isNumeric, start < end, start < description.end else {
                throw ToolError(
                    .wrongUsage,
                    "\(piece.file): expected a part between "
                        + "\(description.startTime.clockDescription) and "
                        + "\(description.end.clockDescription), found "
                        + "\(start.clockDescription) to \(end.clockDescription)")
            }
            if end > description.end {
                Console.note(
                    "\(piece.file): the file ends at \(description.end.clockDescription), before "
                        + "the end of the part at \(end.clockDescription)")
            }
            let range = MediaTimeRange(start: start, end: min(end, description.end))
            do {
                try composition.insertTimeRange(
                    range, of: asset, describedBy: description, at: .invalid)
            } catch {
                throw ToolError(.mediaFailure, "\(error)")
            }
        }
        return composition
    }

    /// Returns the asset of a file that can be opened more than once.
    static func open(_ file: String) throws -> Asset {
        // If a file does not exist, opening it reports that.
        let isMissing =
            !InputFile.isStandardInput(file) && !AssetLocation.isReceived(file)
            && !FileManager.default.fileExists(atPath: file)
        guard isMissing || InputFile.opensAgain(file) else {
            throw ToolError(
                .wrongUsage,
                "\(InputFile.name(file)): cutting reads parts in any order, and a pipe or a stream "
                    + "can be read only once; save the input to a file")
        }
        return InputFile.asset(file)
    }
}
