// SPDX-License-Identifier: Apache-2.0

import Glibc

/// An error that occurred when the control socket was created.
package struct ControlSocketError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The path of the socket.
    package let path: String
    /// The `errno` of the failure.
    package let code: Int32

    package var description: String {
        switch code {
        case EEXIST: "\(path): the file exists and is not a socket; remove it, or use another path"
        case EADDRINUSE: "\(path): another program is listening; quit it, or use another path"
        case ENAMETOOLONG: "\(path): invalid socket path; use 1 to 107 bytes"
        default:
            "\(path): cannot create it (\(String(cString: strerror(code)))); use another path"
        }
    }
}
