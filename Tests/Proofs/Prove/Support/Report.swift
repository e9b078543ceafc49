// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Foundation

/// What a proof has found: figures, and where they fall short.
struct Report {
    private let name: String
    private var figures: [(label: String, value: String)] = []
    private(set) var shortfalls: [String] = []

    init(_ name: String) { self.name = name }

    /// Adds a figure.
    mutating func add(_ label: String, _ value: some CustomStringConvertible) {
        figures.append((label, "\(value)"))
    }

    /// Adds what a figure has to be, and fails the proof where it is not.
    mutating func require(_ holds: Bool, _ shortfall: @autoclosure () -> String) {
        if !holds { shortfalls.append(shortfall()) }
    }

    /// Measures, and measures again, at most so many times in all, where the figures fell short
    /// while others used a quarter of the machine or more. Figures that hold count in any case.
    ///
    /// - Parameter body: adds figures, and gives what others used of the machine.
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

/// The one line that tells a person at a terminal how far a proof has come; nothing in a log.
enum Progress {
    private static let isTerminal = isatty(STDERR_FILENO) == 1

    static func show(_ text: String) { write("\r\u{1B}[K" + text.prefix(78)) }
    static func clear() { write("\r\u{1B}[K") }

    private static func write(_ text: String) {
        guard isTerminal else { return }
        try? FileHandle.standardError.write(contentsOf: Data(text.utf8))
    }
}

/// Why a proof cannot be made here.
struct CannotProve: Error, CustomStringConvertible {
    let description: String

    init(_ reason: String) { description = reason }
}
