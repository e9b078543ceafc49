// SPDX-License-Identifier: Apache-2.0

public import FoundationEssentials

/// The checkout that the tests were built from.
public enum Checkout {
    /// The folder of `Package.swift`.
    public static let root = URL(filePath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()

    /// The folder in which tests leave files for inspection; ignored by version control.
    public static let output = root.appending(path: "Output")
}
