"""The differentiable operations a decoder is made of, each with its forward and its backward rule."""
