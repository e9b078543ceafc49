// SPDX-License-Identifier: Apache-2.0

public import PlayheadTime

extension Layer {
    /// Returns the layer as it appears when the host clock reads `hostTime`: with the current
    /// values of its animations as properties, and without animations.
    ///
    /// - Corresponds to: `CALayer.presentation()`, at any time.
    package func presentation(atHostTime hostTime: MediaTime) -> Layer {
        var layer = self
        for animation in animations {
            guard let progress = animation.progress(atHostTime: hostTime) else { continue }
            layer.apply(animation.track, progress)
        }
        layer.animations = []
        if case .transition(var transition) = layer.content {
            transition.from = transition.from.presentation(atHostTime: hostTime)
            transition.to = transition.to.presentation(atHostTime: hostTime)
            layer.content = .transition(transition)
        }
        layer.sublayers = sublayers.map { $0.presentation(atHostTime: hostTime) }
        if case .layer(let mask) = mask {
            layer.mask = .layer(mask.presentation(atHostTime: hostTime))
        }
        return layer
    }

    /// A Boolean value that indicates whether the layer, or a layer in it, has an animation.
    var isAnimated: Bool {
        if !animations.isEmpty { return true }
        if case .layer(let mask) = mask, mask.isAnimated { return true }
        if case .transition(let transition) = content,
            transition.from.isAnimated || transition.to.isAnimated
        {
            return true
        }
        return sublayers.contains(where: \.isAnimated)
    }

    /// Returns whether an animation of the layer, or of a layer in it, is running or has yet to
    /// begin when the host clock reads a time.
    func moves(afterHostTime hostTime: MediaTime) -> Bool {
        guard !isHidden else { return false }
        if animations.contains(where: { $0.moves(afterHostTime: hostTime) }) { return true }
        if case .layer(let mask) = mask, mask.moves(afterHostTime: hostTime) { return true }
        if case .transition(let transition) = content,
            transition.from.moves(afterHostTime: hostTime)
                || transition.to.moves(afterHostTime: hostTime)
        {
            return true
        }
        return sublayers.contains { $0.moves(afterHostTime: hostTime) }
    }

    /// Sets a property to the last value of a track, and animates the property from the first value
    /// of the track to the last.
    ///
    /// The new animation replaces earlier ones of the same property.
    ///
    ///     layer.animate(.opacity([1, 0]), beginTime: now, duration: halfASecond)
    ///
    /// - Corresponds to: changing a property in a `CATransaction`.
    public mutating func animate(
        _ track: LayerAnimation.Track, beginTime: MediaTime, duration: MediaTime,
        timeline: LayerAnimation.Timeline = .host, timingFunction: TimingFunction = .default
    ) {
        guard track.count > 0 else { return }
        // Rotations, scalings and translations are applied in addition to the property, so their
        // last value remains in the animation.
        if !track.isBesideProperty {
            apply(track, LayerAnimation.Progress(index: track.count - 1, fraction: 0))
        }
        animations.removeAll { $0.track.isSameProperty(as: track) }
        animations.append(
            LayerAnimation(
                track, beginTime: beginTime, duration: duration, timeline: timeline,
                timingFunction: timingFunction,
                fillMode: track.isBesideProperty ? .both : .backwards))
    }

    private mutating func apply(
        _ track: LayerAnimation.Track, _ progress: LayerAnimation.Progress
    ) {
        func mix<Value>(
            _ values: [Value], _ between: (Value, Value, Double) -> Value
        ) -> Value {
            let value = values[progress.index]
            guard progress.fraction != 0, progress.index + 1 < values.count else { return value }
            return between(value, values[progress.index + 1], progress.fraction)
        }
        func mix(_ values: [Double]) -> Double { mix(values) { $0 + ($1 - $0) * $2 } }
        switch track {
        case .opacity(let values): opacity = mix(values)
        case .cornerRadius(let values): cornerRadius = mix(values)
        case .zPosition(let values): zPosition = mix(values)
        case .position(let values):
            let position = mix(values) { $0 + ($1 - $0) * $2 }
            var rect = frame.ownRect
            rect.x = position.x - anchorPoint.x * rect.width
            rect.y = position.y - anchorPoint.y * rect.height
            frame.ownRect = rect
        case .frame(let values): frame.ownRect = mix(values) { $0.interpolated(to: $1, $2) }
        case .contentsRect(let values):
            contentsRect = mix(values) { $0.interpolated(to: $1, $2) }
        case .transform(let values): transform = mix(values) { $0.interpolated(to: $1, $2) }
        case .rotation(let values, let axis):
            transform = transform.rotated(angle: mix(values), x: axis.x, y: axis.y, z: axis.z)
        case .scale(let values):
            let scale = mix(values) { $0 + ($1 - $0) * $2 }
            transform = transform.scaled(x: scale.x, y: scale.y)
        case .translation(let values):
            let move = mix(values) { $0 + ($1 - $0) * $2 }
            transform = transform.concatenating(
                .translation(x: move.x, y: move.y, z: move.z))
        case .color(let values):
            guard case .color = content else { return }
            content = .color(mix(values) { $0 + ($1 - $0) * Float($2) })
        case .progress(let values):
            guard case .transition(var transition) = content else { return }
            transition.progress = mix(values)
            content = .transition(transition)
        }
    }
}

extension LayerAnimation.Track {
    /// A Boolean value that indicates whether the track's values are applied in addition to the
    /// layer's property, instead of replacing it.
    var isBesideProperty: Bool {
        switch self {
        case .rotation, .scale, .translation: true
        default: false
        }
    }

    func isSameProperty(as other: LayerAnimation.Track) -> Bool {
        switch (self, other) {
        case (.opacity, .opacity), (.position, .position), (.frame, .frame),
            (.contentsRect, .contentsRect), (.cornerRadius, .cornerRadius),
            (.zPosition, .zPosition), (.transform, .transform), (.scale, .scale),
            (.translation, .translation), (.color, .color), (.progress, .progress):
            true
        case (.rotation(_, let left), .rotation(_, let right)): left == right
        default: false
        }
    }
}
