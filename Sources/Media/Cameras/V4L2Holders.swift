// SPDX-License-Identifier: Apache-2.0

import Glibc

/// The programs that have a device node open.
package enum V4L2Holders {
    /// Returns the programs, other than this one, that have a file open, such as `mpv (1234)`. Only
    /// the administrator sees programs of other users.
    package static func programs(using path: String) -> [String] {
        guard let real = realpath(path, nil) else { return [] }
        defer { free(real) }
        let wanted = String(cString: real)
        return V4L2Files.names(in: "/proc").compactMap { Int($0) }.filter { $0 != Int(getpid()) }
            .sorted()
            .filter { identifier in
                V4L2Files.names(in: "/proc/\(identifier)/fd").contains { descriptor in
                    V4L2Files.target(of: "/proc/\(identifier)/fd/\(descriptor)") == wanted
                }
            }.map { "\(name(of: $0)) (\($0))" }
    }

    private static func name(of identifier: Int) -> String {
        V4L2Files.line(of: "/proc/\(identifier)/comm") ?? "a program"
    }
}
