// SPDX-License-Identifier: Apache-2.0

import Foundation
import MediaTestSupport
import PlayheadThreads

/// A window that shows numbers, one after another, when the test says so.
///
/// - Concurrency: any thread.
/// - Ownership: the window closes with the object.
final class NumberClient: Sendable {
    private static let path: String = {
        let tests =
            (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? "."
        return URL(fileURLWithPath: tests).deletingLastPathComponent()
            .appendingPathComponent("XClient").path
    }()
    static let isAvailable =
        XServer.isAvailable && FileManager.default.isExecutableFile(atPath: path)

    /// The identifier of the window.
    let window: UInt32
    private let process: ChildProcess
    private let lines: Monitor<(waiting: [String], isOver: Bool)>

    init(
        _ server: XServer, title: String = "Numbers", x: Int = 0, y: Int = 0, width: Int = 640,
        height: Int = 360
    ) throws {
        let lines = Monitor<(waiting: [String], isOver: Bool)>(([], false))
        self.lines = lines
        let process = try ChildProcess(
            [Self.path, "numbers", title, "\(x)", "\(y)", "\(width)", "\(height)"],
            environment: ["DISPLAY": server.name]
        ) { write in
            while true {
                let line = lines.wait { state -> String?? in
                    if !state.waiting.isEmpty { return .some(state.waiting.removeFirst()) }
                    return state.isOver ? .some(nil) : nil
                }
                guard let line else { return }
                guard Array(line.utf8).withUnsafeBytes(write) else { return }
            }
        }
        self.process = process
        window = try eventually("the window of numbers") {
            let text = String(decoding: process.standardOutput, as: UTF8.self)
            return text.hasSuffix("\n")
                ? UInt32(text.dropFirst(2).dropLast(), radix: 16) : nil
        }
    }

    deinit { lines.change { $0.isOver = true } }

    func show(_ number: Int) { send("\(number)") }
    func resize(_ width: Int, _ height: Int) { send("size \(width) \(height)") }
    func close() { send("close") }

    private func send(_ line: String) { lines.change { $0.waiting.append(line + "\n") } }
}
