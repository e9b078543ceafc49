// SPDX-License-Identifier: Apache-2.0

import Foundation
import MediaTestSupport

/// The program `playhead`, which is built in the same folder as this one.
enum Tool {
    static func path() throws -> String {
        let own = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
        let path = URL(filePath: own).deletingLastPathComponent().appending(path: "playhead").path
        guard FileManager.default.isExecutableFile(atPath: path) else {
            throw CannotProve("\(path) is missing; build it with Scripts/build-proofs")
        }
        return path
    }
}
