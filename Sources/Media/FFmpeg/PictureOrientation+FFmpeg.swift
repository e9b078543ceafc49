// SPDX-License-Identifier: Apache-2.0

import PlayheadBuffers

extension PictureOrientation {
    /// The orientation that a display matrix stands for: nine numbers in rows, of which the upper
    /// left four turn and mirror, `x' = a x + c y` and `y' = b x + d y` with y downwards. A matrix
    /// that does anything else besides scaling, such as shearing, says nothing that can be drawn
    /// without resampling, and counts as upright.
    ///
    /// - Corresponds to: `AV_PKT_DATA_DISPLAYMATRIX`, the matrix of an MP4 track header.
    init(displayMatrix matrix: UnsafePointer<Int32>) {
        let (a, b, c, d) = (Int(matrix[0]), Int(matrix[1]), Int(matrix[3]), Int(matrix[4]))
        // One diagonal is (almost) zero next to the other; files round by a unit or two.
        let isStraight = 100 * max(abs(b), abs(c)) <= min(abs(a), abs(d))
        let isTurned = 100 * max(abs(a), abs(d)) <= min(abs(b), abs(c))
        switch (isStraight, isTurned) {
        case (true, false):
            // Left-right mirroring negates x, up-down is that and half a turn.
            self.init(quarterTurns: d > 0 ? 0 : 2, isMirrored: (a > 0) != (d > 0))
        case (false, true):
            self.init(
                quarterTurns: (b > 0) != ((b > 0) == (c > 0)) ? 1 : 3,
                isMirrored: (b > 0) == (c > 0))
        default:
            self = .up
        }
    }
}
