// SPDX-License-Identifier: Apache-2.0

/// The program's version, after semantic versioning.
enum Version {
    static let text = "0.1.0"
}
