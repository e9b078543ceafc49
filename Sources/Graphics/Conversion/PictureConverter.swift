// SPDX-License-Identifier: Apache-2.0

package import PlayheadBuffers
import PlayheadThreads

/// Converts pictures to R'G'B' at the size they are seen at, by the processor.
///
/// For OpenGL that is software itself: there every pixel that a shader makes costs the processor
/// many times what a loop over vectors does. What comes out is what the shader makes of the same
/// picture, to one code value: the same matrix (`YCbCrConversion`), the same place for chroma
/// (`ChromaSiting`), the same filter, the same way through light (`ColorTransform`). Pictures of more than
/// 8 bits are dithered.
///
/// Work is shared with a few threads of the converter's own. Once a film runs nothing is allocated.
///
/// - Concurrency: one thread at a time, usually the render thread; it takes part in the work.
/// - Corresponds to: `VTPixelTransferSession`, FFmpeg's `sws_scale`.
package final class PictureConverter {
    /// Order of the bytes of a pixel in memory; the fourth is alpha, always 255.
    package enum ByteOrder: Sendable, Hashable {
        case rgba, bgra
    }

    /// One piece of work, as the threads see it.
    private final class Job: @unchecked Sendable {
        // Unchecked: written while no thread of the group is at work, read while they are; each
        // participant has lines of its own, and slices write rows that no other writes.
        var buffer: PixelBuffer?
        var plan: ConversionPlan?
        var destination: UnsafeMutableRawPointer?
        var bytesPerRow = 0
        let lines: [ConversionLines]

        init(participantCount: Int) {
            lines = (0..<participantCount).map { _ in ConversionLines() }
        }

        func run(slice: Int, participant: Int) {
            guard let buffer, let plan, let destination else { return }
            let lines = lines[participant]
            lines.prepare(for: plan)
            let first = slice * PictureConverter.rowsPerSlice
            let end = min(first + PictureConverter.rowsPerSlice, plan.key.part.outputHeight)
            for row in first..<end {
                lines.makeRow(row, of: buffer, plan, into: destination + row * bytesPerRow)
            }
        }
    }

    /// Rows that a thread takes at a time: enough that filtering the rows at a slice's edge for
    /// both neighbours does not matter.
    static let rowsPerSlice = 48
    /// Kinds of pictures and sizes that are remembered: more than layers on a screen usually have.
    private static let planCapacity = 32

    private let job: Job
    private let workers: WorkerGroup
    private let hasAVX2: Bool
    private var plans: [ConversionPlan] = []

    /// - Parameters:
    ///   - helperCount: threads besides the calling one; nil for as many as are useful.
    ///   - usesAVX2: whether AVX2 serves where the processor has it; what comes out is the same.
    package init(helperCount: Int? = nil, usesAVX2: Bool = true) {
        hasAVX2 = usesAVX2 && ConversionKernels.hasAVX2
        let helperCount = helperCount ?? WorkerGroup.usefulHelperCount
        let job = Job(participantCount: helperCount + 1)
        self.job = job
        workers = WorkerGroup(name: "ph-convert", helperCount: helperCount) { slice, participant in
            job.run(slice: slice, participant: participant)
        }
    }

    /// Whether R'G'B' can be made a target's: where it is already, and for displays of standard range, which
    /// films of high dynamic range or of wider gamut are brought to.
    package static func canApply(_ transform: ColorTransform) -> Bool {
        transform.isIdentity || ColorTables.canMake(transform)
    }

    /// Whether pictures of a kind can be converted: planar Y'CbCr of 8 to 14 bits and NV12, opaque, of
    /// which R'G'B' is made by nothing but a matrix. All others are left to the shader.
    package static func canConvert(_ buffer: PixelBuffer) -> Bool {
        canConvert(buffer.format, matrix: buffer.color.matrix)
            // Rows are filtered in pairs of samples.
            && buffer.planes.allSatisfy { $0.width >= 2 }
    }

    /// Of BT.2020 with constant luminance and of ICtCp the transfer curve is taken off on the way, and
    /// the others are no Y'CbCr.
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

    /// Pixels of room that a row of so many needs: loops write whole vectors.
    package static func paddedWidth(_ width: Int) -> Int { ConversionKernels.padded(width) }

    /// Converts a part of a picture.
    ///
    /// - Parameters:
    ///   - part: which, and how large it comes out.
    ///   - transform: what makes the picture's R'G'B' the target's; nil where they are the same.
    ///   - destination: first pixel of the top row.
    ///   - bytesPerRow: from one row to the next, at least four times
    ///     `paddedWidth(part.outputWidth)`; negative to write rows upwards, as OpenGL has them.
    /// - Precondition: `canConvert(buffer)`, `canApply(transform)`, and the part lies within the picture.
    package func convert(
        _ buffer: PixelBuffer, part: ConversionPart, transform: ColorTransform? = nil,
        byteOrder: ByteOrder, into destination: UnsafeMutableRawPointer, bytesPerRow: Int
    ) {
        precondition(
            abs(bytesPerRow) >= Self.paddedWidth(part.outputWidth) * 4,
            "rows have room for whole vectors")
        guard part.outputWidth > 0, part.outputHeight > 0 else { return }
        job.plan = plan(
            ConversionPlan.Key(
                format: buffer.format, width: buffer.width, height: buffer.height,
                color: buffer.color, part: part, byteOrder: byteOrder,
                transform: transform.flatMap { $0.isIdentity ? nil : $0 }))
        job.buffer = buffer
        job.destination = destination
        job.bytesPerRow = bytesPerRow
        workers.perform(
            sliceCount: (part.outputHeight + Self.rowsPerSlice - 1) / Self.rowsPerSlice)
        job.buffer = nil
        job.destination = nil
    }

    /// The plan for a key; the one used last comes first.
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
            "\(key.format) is left to the shader")
        precondition(
            key.transform.map(Self.canApply) ?? true, "the transform is left to the shader")
        let plan = ConversionPlan(
            key, former: plans.first { $0.key.hasColors(of: key) }, hasAVX2: hasAVX2)
        if plans.count == Self.planCapacity { plans.removeLast() }
        plans.insert(plan, at: 0)
        return plan
    }
}
