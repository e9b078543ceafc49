// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Glibc
import MediaTestSupport

/// File systems that are mounted for one program.
enum Mounting {
    /// A Boolean value that indicates whether file systems can be mounted.
    static let isAllowed: Bool = {
        let folder = TemporaryFolder()
        let test = program(#"mount -t tmpfs none "$1" || exit 1"#, folder.url.path) + ["true"]
        return (try? ProcessRunner.run(test).status) == 0
    }()
    /// The reason of a skipped test.
    static let absence = "no right to mount a file system"

    /// A program that runs a script with a folder as its argument, in which the script mounts a
    /// file system, and executes its last arguments. The mount is seen by these processes only, and
    /// hinders the superuser too.
    static func program(_ script: String, _ folder: String) -> [String] {
        ["unshare", namespace, "sh", "-c", script + "; shift; exec \"$@\"", "sh", folder]
    }

    /// A program that mounts a file system of some kibibytes at a folder, executes its last
    /// arguments, and copies what is on the disk then into another folder.
    static func disk(kibibytes: Int, at folder: String, copiedTo copy: String) -> [String] {
        let script = """
            disk=$1 copy=$2
            mount -t tmpfs -o size=\(kibibytes)k none "$disk" || exit 77
            shift 2
            "$@"
            status=$?
            cp "$disk"/* "$copy"/
            exit $status
            """
        return ["unshare", namespace, "sh", "-c", script, "sh", folder, copy]
    }

    private static var namespace: String { geteuid() == 0 ? "-m" : "-rm" }
}
