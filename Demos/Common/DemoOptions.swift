// SPDX-License-Identifier: Apache-2.0

import Foundation
import PlayheadUI

/// The command line of a demo.
///
///     NAME [FILE ...] [--size WxH] [--wordless] [--seed N] [--headless [--frames N] [-o OUT.png]]
public struct DemoOptions: Sendable {
    /// The paths and URLs of videos. If there are none, the demo shows its own.
    public var films: [String] = []
    /// The size of the window in points, or of the image in pixels.
    public var size: (width: Int, height: Int)?
    /// A Boolean value that indicates whether to draw without a window, with a clock that advances
    /// frame by frame.
    public var isHeadless = false
    /// The number of frames to draw without a window, at 60 frames per second.
    public var frames = 60
    /// The path to which the last of these frames is written.
    public var output = "out.png"
    /// A Boolean value that indicates whether text is omitted from images, because it depends on
    /// the machine's fonts.
    public var isWordless = false
    /// The seed for random numbers; nil for different numbers in each run.
    public var seed: UInt64?

    /// Creates options from the arguments that follow the program's name.
    public init(_ arguments: [String]) throws(Mistake) {
        var rest = arguments[...]
        func value(of option: String) throws(Mistake) -> String {
            guard let value = rest.popFirst() else { throw Mistake("\(option) needs a value") }
            return value
        }
        while let argument = rest.popFirst() {
            switch argument {
            case "--headless": isHeadless = true
            case "--wordless": isWordless = true
            case "--frames":
                let text = try value(of: argument)
                guard let number = Int(text), number > 0 else {
                    throw Mistake("--frames \(text): not a number of frames")
                }
                frames = number
            case "--size":
                let text = try value(of: argument)
                let numbers = text.split(separator: "x").compactMap { Int($0) }
                guard numbers.count == 2, numbers.allSatisfy({ (16...8192).contains($0) }) else {
                    throw Mistake("--size \(text): not WIDTHxHEIGHT")
                }
                size = (numbers[0], numbers[1])
            case "--seed":
                let text = try value(of: argument)
                guard let number = UInt64(text) else {
                    throw Mistake("--seed \(text): not a number from 0")
                }
                seed = number
            case "-o": output = try value(of: argument)
            case _ where argument.hasPrefix("-") && argument != "-":
                throw Mistake("\(argument): unknown option")
            default: films.append(argument)
            }
        }
    }

    /// An error in the command line.
    public struct Mistake: Error, CustomStringConvertible {
        public var description: String

        init(_ description: String) {
            self.description = description
        }
    }

    /// Returns the options of this process. If they are invalid, or if help was requested, prints a
    /// text and ends the process.
    public static func ofProcess() -> DemoOptions {
        let name = CommandLine.arguments.first?.split(separator: "/").last ?? "demo"
        let usage = """
            usage: \(name) [FILE ...] [--size WxH] [--wordless] [--seed N]
                   \(name) [FILE ...] --headless [--frames N] [--size WxH] [--wordless] -o OUT.png

            """
        let arguments = Array(CommandLine.arguments.dropFirst())
        if arguments.contains("--help") {
            print(usage, terminator: "")
            exit(0)
        }
        do {
            return try DemoOptions(arguments)
        } catch {
            fail("\(error)\n\(usage)", status: 1)
        }
    }

    /// Prints an error as one line, and ends the process. The exit status is 3 if OpenGL or a
    /// display is missing, and 2 for files.
    public static func fail(_ error: any Error) -> Never {
        fail("\(error)", status: error is WindowError || error is GLError ? 3 : 2)
    }

    /// Prints a line to standard error, and ends the process.
    private static func fail(_ line: String, status: Int32) -> Never {
        let name = CommandLine.arguments.first?.split(separator: "/").last ?? "demo"
        note("\(name): \(line)")
        exit(status)
    }

    /// Writes a line to standard error.
    static func note(_ line: String) {
        FileHandle.standardError.write(Data("\(line)\n".utf8))
    }
}
