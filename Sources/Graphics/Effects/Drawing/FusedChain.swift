// SPDX-License-Identifier: Apache-2.0

import PlayheadGL

/// A chain of effects that is drawn as one, in one context.
///
/// - Concurrency: render thread.
final class FusedChain {
    /// Frames after which a chain that was not drawn is given up: two seconds at 60 Hz.
    private static let idleLimit = 120

    private struct Member {
        weak var instance: EffectInstance?
        let description: EffectInstance.Description
    }

    private let members: [Member]
    let effect: Effect
    /// Nil where the whole does not compile: then each is drawn by itself.
    let program: EffectProgram?
    let error: EffectError?
    /// For the values that it was first drawn with.
    var specialized = SpecializedPrograms()
    var idleFrames = 0
    /// Times the whole; where it takes too long each is drawn by itself, and the slow one found.
    var stopwatch: GLStopwatch?
    var slowFrameCount = 0
    var isTooSlow = false
    /// Of the frame that is being drawn: one for each effect, and their values as those of the
    /// whole.
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

    /// That of a chain of which every effect keeps pictures opaque; none of them premultiplies.
    var alpha: Effect.Alpha {
        let keepsOpaque = members.allSatisfy {
            $0.description.effect.requirements.alpha == .keepsOpaque
        }
        return keepsOpaque ? .keepsOpaque : .straight
    }

    var isStale: Bool {
        idleFrames > Self.idleLimit || members.contains { $0.instance == nil }
    }

    /// A Boolean value that indicates whether any value changes over time.
    var isAnimated: Bool { members.contains { $0.instance?.isAnimated == true } }

    func holds(_ instances: ArraySlice<EffectInstance>) -> Bool {
        members.count == instances.count
            && zip(members, instances).allSatisfy {
                $0.instance === $1 && $0.description === $1.description
            }
    }

    /// Takes up the values of a frame.
    func takeSnapshots(of instances: ArraySlice<EffectInstance>, atSeconds seconds: Double) {
        snapshots.removeAll(keepingCapacity: true)
        values.removeAll(keepingCapacity: true)
        // `inputImage` is the first of the inputs.
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
