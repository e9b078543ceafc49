// SPDX-License-Identifier: Apache-2.0

import Foundation
import PlayheadUI

extension MovieCodec {
    /// Returns the codec for an output file.
    ///
    /// - Parameters:
    ///   - name: the value of `--codec`. Without it, the file extension determines the codec.
    ///   - path: the path of the output.
    ///   - endings: the possible file extensions, for the error.
    static func chosen(_ name: String?, for path: String, endings: String) throws -> MovieCodec {
        try OutputFile.checkMovie(path)
        let ending = (path as NSString).pathExtension
        guard
            let codec = name.flatMap({ MovieCodec(rawValue: $0) })
                ?? MovieCodec(pathExtension: ending)
        else {
            throw ToolError(
                .wrongUsage, "\(path): no codec for this extension; use \(endings)")
        }
        guard codec.fits(path) else {
            throw ToolError(
                .wrongUsage,
                "\(path): \(codec.rawValue) cannot be stored in "
                    + (ending.isEmpty ? "a file without an extension" : ".\(ending)")
                    + "; \(codec.endingRemedy)")
        }
        return codec
    }
}
