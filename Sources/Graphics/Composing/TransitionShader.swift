// SPDX-License-Identifier: Apache-2.0

import PlayheadVideoCompositions

/// The shader text of the built-in transitions, in the format of gl-transitions.
enum TransitionShader {
    /// Returns the text of a transition; nil if the transition is an effect.
    static func text(of kind: VideoCompositionTransition.Kind) -> String? {
        switch kind {
        case .dissolve: dissolve
        case .push(let edge): push(direction(from: edge))
        case .wipe(let edge): wipe(direction(from: edge))
        case .effect: nil
        }
    }

    /// The text of a dissolve. Colours are weighted by their alpha, so that transparent parts do
    /// not darken the result.
    private static let dissolve = """
        vec4 transition(vec2 uv) {
            vec4 a = getFromColor(uv), b = getToColor(uv);
            vec4 sum = mix(vec4(a.rgb * a.a, a.a), vec4(b.rgb * b.a, b.a), progress);
            return sum.a > 0.0 ? vec4(sum.rgb / sum.a, sum.a) : vec4(0.0);
        }
        """

    /// Returns the text of a push: both images move in one direction, side by side.
    private static func push(_ direction: String) -> String {
        """
        vec4 transition(vec2 uv) {
            vec2 place = uv - progress * \(direction);
            vec2 inside = step(vec2(0.0), place) * step(place, vec2(1.0));
            return inside.x * inside.y > 0.0
                ? getFromColor(place) : getToColor(place + \(direction));
        }
        """
    }

    /// Returns the text of a wipe: the edge of the second image moves across the first.
    private static func wipe(_ direction: String) -> String {
        """
        vec4 transition(vec2 uv) {
            float way = dot(uv - 0.5, \(direction)) + 0.5;
            return way < progress ? getToColor(uv) : getFromColor(uv);
        }
        """
    }

    /// Returns the direction away from an edge; y grows upwards.
    private static func direction(from edge: VideoCompositionTransition.Edge) -> String {
        switch edge {
        case .left: "vec2(1.0, 0.0)"
        case .right: "vec2(-1.0, 0.0)"
        case .top: "vec2(0.0, -1.0)"
        case .bottom: "vec2(0.0, 1.0)"
        }
    }
}
