// SPDX-License-Identifier: Apache-2.0

import Foundation

/// What this process has taken of the machine, at one moment: where it grows from round to round,
/// something is not let go of.
struct Resources: CustomStringConvertible {
    /// Memory that is resident, in KiB: proc(5), /proc/self/status.
    let memory: Int
    let threads: Int
    let descriptors: Int

    static var now: Resources {
        Resources(
            memory: status("VmRSS:") ?? 0, threads: status("Threads:") ?? 0,
            descriptors: (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd"))?
                .count ?? 0)
    }

    var description: String {
        "\(memory / 1024) MiB, \(threads) threads, \(descriptors) descriptors"
    }

    private static func status(_ name: String) -> Int? {
        guard let text = try? String(contentsOfFile: "/proc/self/status", encoding: .utf8) else {
            return nil
        }
        let line = text.split(separator: "\n").first { $0.hasPrefix(name) }
        return line?.split(whereSeparator: { $0 == " " || $0 == "\t" }).dropFirst().first
            .flatMap { Int($0) }
    }
}
