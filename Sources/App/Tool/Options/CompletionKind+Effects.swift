// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Foundation
import PlayheadUI

extension CompletionKind {
    /// The completion for an effect: built-in names and files.
    static let effect = CompletionKind.custom { _, _, typed in
        let folder = typed.lastIndex(of: "/").map { String(typed[...$0]) } ?? ""
        // Shells do not expand the tilde here, and the result must begin with the text that was
        // typed.
        let path = NSString(string: folder.isEmpty ? "." : folder).expandingTildeInPath
        let files = (try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []
        return (EffectLibrary.builtInNames + files.sorted().map { folder + $0 })
            .filter { $0.hasPrefix(typed) }
    }
}
