// SPDX-License-Identifier: Apache-2.0

/// The exit status. The numbers are a contract.
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
