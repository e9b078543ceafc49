// SPDX-License-Identifier: Apache-2.0

/// The version of the program, according to semantic versioning.
enum Version {
    static let text = "0.1.0"
}
