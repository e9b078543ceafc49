// SPDX-License-Identifier: Apache-2.0

import CPlayhead
import PlayheadBuffers
import PlayheadLayers
import PlayheadPlayback
import PlayheadTime

/// The result of a draw call of the host.
struct DrawOutcome {
    var flags = 0
    var frameTime = noTime
    var itemTime = noTime
    var uploadNanoseconds: Int64 = 0
    var drawNanoseconds: Int64 = 0
    var stateNanoseconds: Int64 = 0
    var problems: [RenderReport.Problem] = []
    var isContextLost = false
    /// A Boolean value that indicates whether the frame came from `sampledOutput` of the source.
    var isSampled = false
    /// A Boolean value that indicates whether an effect animates.
    var isMoving = false

    var wasDrawn: Bool { flags & (PLAYHEAD_RENDER_SKIPPED | PLAYHEAD_RENDER_HIDDEN) == 0 }
}

extension DrawOutcome {
    mutating func take(_ report: RenderReport, _ source: DrawSource) {
        if report.hasNewPicture { flags |= PLAYHEAD_RENDER_NEW_FRAME }
        if !report.displayTime.isNumeric { flags |= PLAYHEAD_RENDER_NO_FRAME }
        if !report.wasDrawn { flags |= PLAYHEAD_RENDER_SKIPPED }
        if report.itemTime.isNumeric,
            source.playing?.isAwaitingPixelBuffer(forItemTime: report.itemTime) == true
        {
            flags |= PLAYHEAD_RENDER_LATE
        }
        frameTime = report.displayTime.hosted
        itemTime = report.itemTime.hosted
        uploadNanoseconds = report.uploadNanoseconds
        drawNanoseconds = report.drawNanoseconds
        problems = report.problems
        isContextLost = report.isContextLost
        isMoving = report.isMoving
    }
}
