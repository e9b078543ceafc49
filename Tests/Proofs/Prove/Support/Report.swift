// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Foundation

/// The figures of a proof, and the requirements that it does not meet.
struct Report {
    private let name: String
    private var figures: [(label: String, value: String)] = []
    private(set) var shortfalls: [String] = []

    init(_ name: String) { self.name = name }

    /// Adds a figure.
    mutating func add(_ label: String, _ value: some CustomStringConvertible) {
        figures.append((label, "\(value)"))
    }

    /// Adds a requirement; if it does not hold, the proof fails.
    mutating func require(_ holds: Bool, _ shortfall: @autoclosure () -> String) {
        if !holds { shortfalls.append(shortfall()) }
    }

    /// Measures, and measures again if the figures fall short while other programs use a quarter of
    /// the machine or more. Figures that meet the requirements are always accepted.
    ///
    /// - Parameters:
    ///   - attempts: the maximum number of measurements.
    ///   - body: adds figures, and returns the load by other programs.
    mutating func measure(
        attempts: Int, _ body: (inout Report) throws -> Machine.Others
    ) rethrows {
        for attempt in 1...attempts {
            var trial = self
            let others = try body(&trial)
            let holds = trial.shortfalls.count == shortfalls.count
            if holds || !others.isDisturbing || attempt == attempts {
                self = trial
                return
            }
            add("disturbed", "others used \(others); measured again")
        }
    }

    /// Prints the figures and the verdict.
    ///
    /// - Throws: the exit status of a proof that failed.
    func finish() throws {
        Progress.clear()
        let width = figures.map(\.label.count).max() ?? 0
        for (label, value) in figures {
            print(label + String(repeating: " ", count: width - label.count + 2) + value)
        }
        for shortfall in shortfalls { print("falls short: \(shortfall)") }
        print("\(name): \(shortfalls.isEmpty ? "holds" : "FALLS SHORT")")
        if !shortfalls.isEmpty { throw ExitCode(1) }
    }
}

/// A line at a terminal that shows the progress of a proof; a log does not contain it.
enum Progress {
    private static let isTerminal = isatty(STDERR_FILENO) == 1

    static func show(_ text: String) { write("\r\u{1B}[K" + text.prefix(78)) }
    static func clear() { write("\r\u{1B}[K") }

    private static func write(_ text: String) {
        guard isTerminal else { return }
        try? FileHandle.standardError.write(contentsOf: Data(text.utf8))
    }
}

/// The reason for which a proof cannot run here.
struct CannotProve: Error, CustomStringConvertible {
    let description: String

    init(_ reason: String) { description = reason }
}
