// SPDX-License-Identifier: Apache-2.0

import Glibc

/// Why there is no socket to control a player by.
package struct ControlSocketError: Error, Sendable, Hashable, CustomStringConvertible {
    /// Where it was to be.
    package let path: String
    /// The system's number of what is wrong.
    package let code: Int32

    package var description: String {
        switch code {
        case EEXIST: "\(path): there is a file that is no socket; remove it, or name another"
        case EADDRINUSE: "\(path): another program listens there; end it, or name another"
        case ENAMETOOLONG: "\(path): that is no path for a socket; use one of 1 to 107 bytes"
        default:
            "\(path): the socket cannot be made (\(String(cString: strerror(code)))); name another"
        }
    }
}
