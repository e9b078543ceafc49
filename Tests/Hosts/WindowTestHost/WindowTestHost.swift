// SPDX-License-Identifier: Apache-2.0

import Glibc
import PlayheadWindow

/// Opens windows on behalf of the tests, one scenario a run, and reports lines of `name=value`.
@main struct WindowTestHost {
    @MainActor static func main() {
        let arguments = CommandLine.arguments.dropFirst()
        do {
            switch arguments.first {
            case "clear": try Scenario.clear()
            case "remake": try Scenario.remake()
            case "ticks": try Scenario.ticks(arguments.dropFirst().first.flatMap(Int.init) ?? 120)
            case "events": try Scenario.events()
            case "fullscreen": try Scenario.fullscreen()
            case "tasks": try Scenario.tasks(withWindow: true)
            case "tasks-without-window": try Scenario.tasks(withWindow: false)
            case "idle": try Scenario.idle()
            default:
                report("error", "no such scenario")
                exit(1)
            }
        } catch {
            report("error", "\(error)")
            if case WindowError.noDisplay = error { exit(3) }
            exit(4)
        }
    }
}

/// Reports a value to the test, at once; any thread.
func report(_ name: String, _ value: some CustomStringConvertible) {
    let line = Array("\(name)=\(value)\n".utf8)
    _ = write(STDOUT_FILENO, line, line.count)
}
