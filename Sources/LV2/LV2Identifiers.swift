// SPDX-License-Identifier: Apache-2.0

import Glibc
import Synchronization

/// The numbers that plug-ins use for URIs. A number is valid until the process ends.
///
/// - Concurrency: any thread, but not the audio callback.
/// - Corresponds to: `LV2_URID_Map`, `LV2_URID_Unmap`.
enum LV2Identifiers {
    private struct Table: @unchecked Sendable {
        // Unchecked: the texts are constants.
        var numbers: [String: UInt32] = [:]
        var texts: [UnsafePointer<CChar>] = []
    }

    private static let table = Mutex(Table())

    /// Returns the number of a URI, which is at least 1.
    static func number(of uri: String) -> UInt32 {
        table.withLock { table in
            if let number = table.numbers[uri] { return number }
            guard let text = strdup(uri) else { return 0 }
            table.texts.append(UnsafePointer(text))
            let number = UInt32(table.texts.count)
            table.numbers[uri] = number
            return number
        }
    }

    /// Returns the URI of a number, or nil if there is no such number.
    static func uri(of number: UInt32) -> UnsafePointer<CChar>? {
        table.withLock { table in
            guard number > 0, number <= table.texts.count else { return nil }
            return table.texts[Int(number) - 1]
        }
    }
}
