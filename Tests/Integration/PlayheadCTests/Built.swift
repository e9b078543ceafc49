// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Glibc
import MediaTestSupport

/// The products built beside the tests: hosts in C, and the library that others link to.
enum Built {
    /// The folder that the tests were built into.
    static let folder: String = {
        var path = [CChar](repeating: 0, count: Int(PATH_MAX))
        let count = readlink("/proc/self/exe", &path, path.count)
        let executable = String(
            decoding: path[..<max(0, count)].map { UInt8(bitPattern: $0) }, as: UTF8.self)
        return "/" + executable.split(separator: "/").dropLast().joined(separator: "/")
    }()

    static let library = folder + "/libPlayheadC.so"

    /// Runs a host that was built with the package.
    static func run(_ host: String, _ arguments: String...) throws -> ProcessRunner.Result {
        try ProcessRunner.run(["\(folder)/\(host)"] + arguments, deadline: .seconds(1200))
    }
}
