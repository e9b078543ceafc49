// SPDX-License-Identifier: Apache-2.0

/// One of two passes over a video, of which the first measures how many bits each frame needs.
package struct EncodingPass: Sendable, Hashable {
    /// A Boolean value that indicates whether it is the first one.
    package var isFirst: Bool
    /// The path of the file of measurements, to which encoders append endings of their own.
    package var statisticsPath: String

    package init(isFirst: Bool, statisticsPath: String) {
        self.isFirst = isFirst
        self.statisticsPath = statisticsPath
    }
}
