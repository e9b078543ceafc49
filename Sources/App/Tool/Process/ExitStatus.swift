// SPDX-License-Identifier: Apache-2.0

/// How the program ends. Scripts rely on the numbers.
enum ExitStatus: Int32 {
    case success = 0
    /// The command line is wrong.
    case wrongUsage = 1
    /// The input cannot be opened or decoded, or the output cannot be written.
    case mediaFailure = 2
    /// There is no OpenGL 3.3 or no display.
    case noGraphics = 3
    /// An effect does not compile.
    case effectFailure = 4
}
