// SPDX-License-Identifier: Apache-2.0

import PlayheadGL

/// A chain of effects that is drawn in one pass, in one context.
///
/// - Concurrency: render thread.
final class FusedChain {
    /// The number of frames after which an unused chain is released: two seconds at 60 Hz.
    private static let idleLimit = 120

    private struct Member {
        weak var instance: EffectInstance?
        let description: EffectInstance.Description
    }

    private let members: [Member]
    let effect: Effect
    /// The program, or nil if the fused text does not compile. The effects are then drawn one by
    /// one.
    let program: EffectProgram?
    let error: EffectError?
    /// The programs in which the current values are constants.
    var specialized = SpecializedPrograms()
    var idleFrames = 0
    /// The stopwatch for the chain. If the chain takes too long, its effects are drawn one by one,
    /// to find the slow one.
    var stopwatch: GLStopwatch?
    var slowFrameCount = 0
    var isTooSlow = false
    /// The snapshots of the effects in the current frame, and their values as inputs of the fused
    /// effect.
    private(set) var snapshots: [EffectInstance.Snapshot] = []
    private(set) var values: [EffectValue] = []

    init(_ instances: ArraySlice<EffectInstance>, context: any GLContext) {
        members = instances.map { Member(instance: $0, description: $0.description) }
        effect = EffectFusion(members.map(\.description.effect)).effect
        do throws(EffectError) {
            program = try EffectProgram(
                effect, shader: 0, passIndex: 0, context: context)
            error = nil
        } catch {
            program = nil
            self.error = error
        }
    }

    /// The alpha of the chain's output. The chain keeps opaque images opaque if all its effects do.
    /// No effect in a chain premultiplies.
    var alpha: Effect.Alpha {
        let keepsOpaque = members.allSatisfy {
            $0.description.effect.requirements.alpha == .keepsOpaque
        }
        return keepsOpaque ? .keepsOpaque : .straight
    }

    var isStale: Bool {
        idleFrames > Self.idleLimit || members.contains { $0.instance == nil }
    }

    /// A Boolean value that indicates whether any value is animated.
    var isAnimated: Bool { members.contains { $0.instance?.isAnimated == true } }

    func holds(_ instances: ArraySlice<EffectInstance>) -> Bool {
        members.count == instances.count
            && zip(members, instances).allSatisfy {
                $0.instance === $1 && $0.description === $1.description
            }
    }

    /// Takes snapshots of the effects for a frame.
    func takeSnapshots(of instances: ArraySlice<EffectInstance>, atSeconds seconds: Double) {
        snapshots.removeAll(keepingCapacity: true)
        values.removeAll(keepingCapacity: true)
        // The first input is `inputImage`.
        values.append(.image(nil))
        for (instance, member) in zip(instances, members) {
            let snapshot = instance.takeSnapshot(atSeconds: seconds)
                .values(for: member.description)
            for (input, value) in zip(member.description.effect.inputs, snapshot.values)
            where !input.isSampler {
                values.append(value)
            }
            snapshots.append(snapshot)
        }
    }
}
