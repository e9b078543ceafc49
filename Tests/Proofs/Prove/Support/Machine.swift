// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc

/// The load of the machine, and its sources: timing is not reliable on a busy machine.
enum Machine {
    /// Processor time so far, in seconds.
    struct Usage {
        /// The time of everything on the machine.
        var all = 0.0
        /// The time of this process, and of the children that it has waited for.
        var own = 0.0
        /// The time that the host of a virtual machine withheld.
        var stolen = 0.0
        var wall = 0.0
    }

    static let processorCount = max(1, sysconf(Int32(_SC_NPROCESSORS_ONLN)))

    static var usage: Usage {
        Usage(
            all: ticks.busy, own: seconds(RUSAGE_SELF) + seconds(RUSAGE_CHILDREN),
            stolen: ticks.stolen, wall: ProcessInfo.processInfo.systemUptime)
    }

    /// The processor time of this process, in seconds.
    static var ownSeconds: Double { seconds(RUSAGE_SELF) }
    /// The processor time of the children that have been waited for, in seconds.
    static var childSeconds: Double { seconds(RUSAGE_CHILDREN) }

    /// The time used by others, as a share of all processors.
    struct Others: CustomStringConvertible {
        /// Includes the share that the host of a virtual machine withheld.
        var share = 0.0
        var stolen = 0.0

        /// A Boolean value that indicates whether others may have affected timing.
        var isDisturbing: Bool { share >= 0.25 }

        var description: String {
            let host = stolen >= 0.005 ? ", \(percent(stolen)) the machine's host" : ""
            return "\(percent(share))\(host)"
        }
    }

    /// Returns the time that others have used since `start`.
    static func others(since start: Usage) -> Others {
        let now = usage
        let used = (now.all - start.all) - (now.own - start.own)
        let available = (now.wall - start.wall) * Double(processorCount)
        guard available > 0 else { return Others() }
        return Others(
            share: min(max(used / available, 0), 1),
            stolen: min(max((now.stolen - start.stolen) / available, 0), 1))
    }

    /// Waits until others leave the machine idle, for at most `seconds`; returns a description of
    /// its load for the report.
    static func waitUntilQuiet(seconds: Int) -> String {
        let began = usage.wall
        while true {
            let start = usage
            usleep(1_000_000)
            let share = others(since: start).share
            let isQuiet = share < 0.1
            let waited = Int(usage.wall - began)
            guard isQuiet || waited >= seconds else {
                Progress.show("waiting for a quiet machine: others use \(percent(share))")
                continue
            }
            let note = isQuiet ? "" : ": busy, so figures may be worse than usual"
            return "others use \(percent(share)) of \(processorCount) processors\(note)"
        }
    }

    /// Formats a share in per cent, to a thousandth of one.
    static func thousandths(_ share: Double) -> String { hundredths(share * 100) }

    static func hundredths(_ value: Double) -> String { String(format: "%.2f", value) }

    /// The resident memory of this process, in megabytes: proc(5), /proc/self/status.
    static var residentMegabytes: Int {
        let text = (try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)) ?? ""
        let line = text.split(separator: "\n").first { $0.hasPrefix("VmRSS:") }
        return (line?.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0) / 1000
    }

    static func percent(_ share: Double) -> String { "\(Int((share * 100).rounded())) %" }

    private static func seconds(_ who: __rusage_who) -> Double {
        var usage = rusage()
        getrusage(who.rawValue, &usage)
        let microseconds = usage.ru_utime.tv_usec + usage.ru_stime.tv_usec
        return Double(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) + Double(microseconds) / 1e6
    }

    /// proc(5), /proc/stat: user, nice, system, idle, iowait, irq, softirq, steal, in ticks. Time
    /// stolen by the host counts as busy: it affects timing in the same way.
    private static var ticks: (busy: Double, stolen: Double) {
        guard let text = try? String(contentsOfFile: "/proc/stat", encoding: .utf8),
            let line = text.split(separator: "\n").first
        else { return (0, 0) }
        let ticks = line.split(separator: " ").dropFirst().prefix(8).compactMap { Double($0) }
        guard ticks.count == 8 else { return (0, 0) }
        let second = Double(sysconf(Int32(_SC_CLK_TCK)))
        return ((ticks.reduce(0, +) - ticks[3] - ticks[4]) / second, ticks[7] / second)
    }
}
