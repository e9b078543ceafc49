// SPDX-License-Identifier: Apache-2.0

import Foundation
import PlayheadUI

extension MovieCodec {
    /// How a film that is written is stored.
    ///
    /// - Parameters:
    ///   - name: what `--codec` says; without it the ending tells.
    ///   - path: where it is written.
    ///   - endings: those that tell, for people.
    static func chosen(_ name: String?, for path: String, endings: String) throws -> MovieCodec {
        try OutputFile.checkFilm(path)
        let ending = (path as NSString).pathExtension
        guard
            let codec = name.flatMap({ MovieCodec(rawValue: $0) })
                ?? MovieCodec(pathExtension: ending)
        else {
            throw ToolError(
                .wrongUsage, "\(path): nothing says how to store it; use \(endings)")
        }
        guard codec.fits(path) else {
            throw ToolError(
                .wrongUsage,
                "\(path): \(codec.rawValue) does not go into "
                    + (ending.isEmpty ? "a file without an ending" : ".\(ending)")
                    + "; \(codec.endingRemedy)")
        }
        return codec
    }
}
