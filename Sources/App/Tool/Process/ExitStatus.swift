// SPDX-License-Identifier: Apache-2.0

/// An exit status of the program. The numbers are a contract.
enum ExitStatus: Int32 {
    case success = 0
    /// The command line is invalid.
    case wrongUsage = 1
    /// The input cannot be opened or decoded, or the output cannot be written.
    case mediaFailure = 2
    /// OpenGL or a display is missing.
    case noGraphics = 3
    /// An effect does not compile.
    case effectFailure = 4
}
