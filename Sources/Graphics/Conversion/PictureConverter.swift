// SPDX-License-Identifier: Apache-2.0

package import PlayheadBuffers
import PlayheadThreads

/// A converter that runs on the CPU. It converts frames to R'G'B' and scales them to their size on
/// the target.
///
/// It is used with software OpenGL, where a shaded pixel costs the CPU many times as much as a loop
/// over vectors. The result differs from that of the shader by at most one code value. The
/// converter and the shader use the same matrix (`YCbCrConversion`), chroma siting
/// (`ChromaSiting`), filter and colour transform (`ColorTransform`). Frames of more than 8 bits are
/// dithered. `StillConverter` converts all formats, with a better filter for shrinking, at a higher
/// cost.
///
/// The work is shared with a few threads of the converter. During playback nothing is allocated.
///
/// - Concurrency: one thread at a time, usually the render thread; it takes part in the work.
/// - Corresponds to: `VTPixelTransferSession`, FFmpeg's `sws_scale`.
package final class PictureConverter {
    /// One conversion, which all threads of the group work on.
    private final class Job: @unchecked Sendable {
        // Unchecked: written while no thread of the group is at work. While threads are at work, it
        // is only read. Each participant has its own lines, and each slice writes its own rows.
        var buffer: PixelBuffer?
        var plan: ConversionPlan?
        var destination: UnsafeMutableRawPointer?
        var bytesPerRow = 0
        var rows = 0..<0
        let lines: [ConversionLines]

        init(participantCount: Int) {
            lines = (0..<participantCount).map { _ in ConversionLines() }
        }

        func run(slice: Int, participant: Int) {
            guard let buffer, let plan, let destination else { return }
            let lines = lines[participant]
            lines.prepare(for: plan)
            let first = rows.lowerBound + slice * PictureConverter.rowsPerSlice
            let end = min(first + PictureConverter.rowsPerSlice, rows.upperBound)
            for row in first..<end {
                lines.makeRow(
                    row, of: buffer, plan,
                    into: destination + (row - rows.lowerBound) * bytesPerRow)
            }
        }
    }

    /// The number of rows that a thread takes at a time. The rows at a slice's edge are filtered
    /// twice; with this number the cost of that is negligible.
    static let rowsPerSlice = 48
    /// The maximum number of plans that are kept: more than the layers on a screen usually need.
    private static let planCapacity = 32

    private let job: Job
    private let workers: WorkerGroup
    private let usesKernels: Bool
    private var plans: [ConversionPlan] = []

    /// Creates a converter.
    ///
    /// - Parameters:
    ///   - helperCount: the number of threads in addition to the calling thread; nil for the number
    ///     that is useful on this machine.
    ///   - usesKernels: true to use the loops in C if the processor supports them. The result is
    ///     the same.
    package init(helperCount: Int? = nil, usesKernels: Bool = true) {
        self.usesKernels = usesKernels && ConversionVectors.haveKernels
        let helperCount = helperCount ?? WorkerGroup.usefulHelperCount
        let job = Job(participantCount: helperCount + 1)
        self.job = job
        workers = WorkerGroup(name: "ph-convert", helperCount: helperCount) { slice, participant in
            job.run(slice: slice, participant: participant)
        }
    }

    /// Returns whether the converter supports a transform to a target. It supports the identity,
    /// and all transforms to a display of standard range, including those from high dynamic range
    /// or a wider gamut.
    package static func canApply(_ transform: ColorTransform) -> Bool {
        transform.isIdentity || ColorTables.canMake(transform)
    }

    /// Returns whether the converter supports a frame. It supports opaque planar Y'CbCr of 8 to 14
    /// bits and NV12, if the conversion to R'G'B' is only a matrix. The shader draws all other
    /// frames.
    package static func canConvert(_ buffer: PixelBuffer) -> Bool {
        canConvert(buffer.format, matrix: buffer.color.matrix)
            // Rows are filtered in pairs of samples.
            && buffer.planes.allSatisfy { $0.width >= 2 }
    }

    /// The matrices that only the shader supports. ICtCp and constant-luminance BT.2020 apply the
    /// transfer curve in the middle of the conversion. The other matrices are not Y'CbCr.
    private static let shaderMatrices: Set<ColorAttachments.Matrix> = [
        .rgb, .yCgCo, .bt2020ConstantLuminance, .iCtCp,
    ]

    static func canConvert(_ format: PixelFormat, matrix: ColorAttachments.Matrix) -> Bool {
        let components = format.components
        guard format.model == .yCbCr, !format.hasAlpha, !format.isFloat, components.count == 3,
            !shaderMatrices.contains(matrix),
            components.allSatisfy({ $0.depth == components[0].depth && $0.shift == 0 })
        else { return false }
        let depth = components[0].depth
        let isPlanar =
            components.allSatisfy { $0.offset == 0 && $0.step == (depth > 8 ? 2 : 1) }
            && components[0].plane != components[1].plane
            && components[1].plane != components[2].plane
            && components[2].plane != components[0].plane
        if depth == 8 {
            let isInterleaved =
                components[0].plane == 0 && components[0].step == 1 && components[1].plane == 1
                && components[2].plane == 1 && components[1].step == 2 && components[2].step == 2
                && components[1].offset + components[2].offset == 1
            return (isPlanar && components[0].plane == 0) || isInterleaved
        }
        return isPlanar && components[0].plane == 0 && (9...14).contains(depth)
            && !format.isBigEndian
    }

    /// Returns the number of pixels that a row of memory must have room for, because the loops
    /// write whole vectors.
    package static func paddedWidth(_ width: Int) -> Int { ConversionVectors.padded(width) }

    /// Converts a part of a frame.
    ///
    /// - Parameters:
    ///   - part: the part and its output size.
    ///   - transform: the transform from the frame's R'G'B' to the target's; nil if both are the
    ///     same.
    ///   - rows: the rows of the output that are written; nil for all.
    ///   - destination: the address of the first pixel of the top one of these rows.
    ///   - bytesPerRow: the distance from one row to the next, at least four times
    ///     `paddedWidth(part.outputWidth)`; negative if rows are stored from bottom to top, as in
    ///     OpenGL.
    /// - Precondition: `canConvert(buffer)`, `canApply(transform)`, the part lies within the frame,
    ///   and the rows within the output.
    package func convert(
        _ buffer: PixelBuffer, part: ConversionPart, transform: ColorTransform? = nil,
        byteOrder: PixelByteOrder, rows: Range<Int>? = nil,
        into destination: UnsafeMutableRawPointer, bytesPerRow: Int
    ) {
        precondition(
            abs(bytesPerRow) >= Self.paddedWidth(part.outputWidth) * 4,
            "rows must hold whole vectors")
        guard part.outputWidth > 0, part.outputHeight > 0 else { return }
        job.plan = plan(
            ConversionPlan.Key(
                format: buffer.format, width: buffer.width, height: buffer.height,
                color: buffer.color, part: part, byteOrder: byteOrder,
                transform: transform.flatMap { $0.isIdentity ? nil : $0 }))
        job.buffer = buffer
        job.destination = destination
        job.bytesPerRow = bytesPerRow
        let rows = rows ?? 0..<part.outputHeight
        job.rows = rows
        workers.perform(sliceCount: (rows.count + Self.rowsPerSlice - 1) / Self.rowsPerSlice)
        job.buffer = nil
        job.destination = nil
    }

    /// Returns the plan for a key, and moves it to the front of the list.
    private func plan(_ key: ConversionPlan.Key) -> ConversionPlan {
        if let index = plans.firstIndex(where: { $0.key == key }) {
            let plan = plans[index]
            if index > 0 {
                plans.remove(at: index)
                plans.insert(plan, at: 0)
            }
            return plan
        }
        precondition(
            Self.canConvert(key.format, matrix: key.color.matrix),
            "\(key.format) can be converted by the shader only")
        precondition(
            key.transform.map(Self.canApply) ?? true,
            "the transform can be applied by the shader only")
        let plan = ConversionPlan(
            key, former: plans.first { $0.key.hasColors(of: key) }, usesKernels: usesKernels)
        if plans.count == Self.planCapacity { plans.removeLast() }
        plans.insert(plan, at: 0)
        return plan
    }
}
