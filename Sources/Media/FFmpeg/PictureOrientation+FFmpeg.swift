// SPDX-License-Identifier: Apache-2.0

import PlayheadBuffers

extension PictureOrientation {
    /// Creates the orientation of a display matrix: nine numbers in rows, of which the upper left
    /// four describe rotation and mirroring, `x' = a x + c y` and `y' = b x + d y`, with y
    /// downwards. Scaling is ignored. If the matrix contains other transforms, such as shearing,
    /// the orientation is upright, because such transforms require resampling.
    ///
    /// - Corresponds to: `AV_PKT_DATA_DISPLAYMATRIX`, the matrix of an MP4 track header.
    init(displayMatrix matrix: UnsafePointer<Int32>) {
        let (a, b, c, d) = (Int(matrix[0]), Int(matrix[1]), Int(matrix[3]), Int(matrix[4]))
        // One diagonal is almost zero compared with the other. Files round by one or two units.
        let isStraight = 100 * max(abs(b), abs(c)) <= min(abs(a), abs(d))
        let isTurned = 100 * max(abs(a), abs(d)) <= min(abs(b), abs(c))
        switch (isStraight, isTurned) {
        case (true, false):
            // Mirroring horizontally negates x. Mirroring vertically equals horizontal mirroring
            // and half a turn.
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
