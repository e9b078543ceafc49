// SPDX-License-Identifier: Apache-2.0

import Foundation

/// The resources that a process uses at one time. If they grow from round to round, something leaks.
struct Resources: CustomStringConvertible {
    /// Resident memory, in KiB: proc(5), /proc/self/status.
    let memory: Int
    let threads: Int
    let descriptors: Int

    static var now: Resources { Resources(ofProcess: "self") }

    /// Returns the resources after ending threads have ended: when nothing has changed for a while,
    /// at most after five seconds.
    static func settled() -> Resources {
        var (last, unchanged) = (now, 0)
        for _ in 0..<500 where unchanged < 10 {
            usleep(10_000)
            let next = now
            let isSame = next.threads == last.threads && next.descriptors == last.descriptors
            unchanged = isSame ? unchanged + 1 : 0
            last = next
        }
        return last
    }

    init(ofProcess process: String) {
        memory = Self.status("VmRSS:", of: process) ?? 0
        threads = Self.status("Threads:", of: process) ?? 0
        descriptors =
            (try? FileManager.default.contentsOfDirectory(atPath: "/proc/\(process)/fd"))?.count
            ?? 0
    }

    /// Returns the names of a process's threads and the targets of its descriptors, with the number
    /// of each.
    static func holdings(ofProcess process: String) -> [String: Int] {
        let manager = FileManager.default
        var counts: [String: Int] = [:]
        for task in (try? manager.contentsOfDirectory(atPath: "/proc/\(process)/task")) ?? [] {
            let name = try? String(
                contentsOfFile: "/proc/\(process)/task/\(task)/comm", encoding: .utf8)
            counts["thread \(name?.dropLast() ?? "?")", default: 0] += 1
        }
        for file in (try? manager.contentsOfDirectory(atPath: "/proc/\(process)/fd")) ?? [] {
            let target = try? manager.destinationOfSymbolicLink(
                atPath: "/proc/\(process)/fd/\(file)")
            // Sockets and pipes have unique numbers.
            let kind = target.map { $0.prefix { $0 != "[" } } ?? "?"
            counts["descriptor \(kind)", default: 0] += 1
        }
        return counts
    }

    var description: String {
        "\(memory / 1024) MiB, \(threads) threads, \(descriptors) descriptors"
    }

    private static func status(_ name: String, of process: String) -> Int? {
        guard
            let text = try? String(contentsOfFile: "/proc/\(process)/status", encoding: .utf8)
        else { return nil }
        let line = text.split(separator: "\n").first { $0.hasPrefix(name) }
        return line?.split(whereSeparator: { $0 == " " || $0 == "\t" }).dropFirst().first
            .flatMap { Int($0) }
    }
}
