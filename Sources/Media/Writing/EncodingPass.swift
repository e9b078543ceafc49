// SPDX-License-Identifier: Apache-2.0

/// One of the two passes of an encoding. The first pass measures how many bits each frame needs.
package struct EncodingPass: Sendable, Hashable {
    /// A Boolean value that indicates whether this is the first pass.
    package var isFirst: Bool
    /// The path of the file with the measurements. Encoders append their own suffixes to it.
    package var statisticsPath: String

    package init(isFirst: Bool, statisticsPath: String) {
        self.isFirst = isFirst
        self.statisticsPath = statisticsPath
    }
}
