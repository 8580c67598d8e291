graph [
 directed 1
 node [ id 1 ]
 node [ id 2 ]
 edge [ source 1 target 2 dist 4 lanes 2 graphics [ fill "x" ] ]
]
